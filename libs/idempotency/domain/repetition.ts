/** The rule by which every request with an Idempotency-Key is recognised as new or repeated. */

/** What an event stores to recognise a repeated request: never the key, and never a plain hash of it or of the body. */
export interface IdempotencyRecord {
  /** HMAC-SHA256 of the Idempotency-Key with the data key, hex. Absent from older events. */
  readonly keyHmac?: string;
  /** SHA-256 of the Idempotency-Key, hex. Only in older events. */
  readonly keyHash?: string;
  /** HMAC-SHA256 of the canonical body with the data key, hex. */
  readonly fingerprint: string;
  readonly dataKeyId: string;
}

/** A request's key and content under every data key, so that they compare with any record. */
export interface RequestIdentity {
  /** SHA-256 of the key, for older events; no longer stored. */
  readonly keyHash: string;
  /** The first one uses the current data key, and is stored. */
  readonly fingerprints: readonly [Fingerprint, ...Fingerprint[]];
}

export interface Fingerprint {
  readonly dataKeyId: string;
  /** HMAC of the Idempotency-Key. */
  readonly keyHmac: string;
  /** HMAC of the body. */
  readonly fingerprint: string;
}

export type RequestNovelty = 'NEW' | 'REPEATED' | 'KEY_REUSED';

type Content = Pick<IdempotencyRecord, 'dataKeyId' | 'fingerprint'>;

/** @param record what is stored under the request's key; null if there is nothing. */
export function noveltyOf(fingerprints: readonly Content[], record: Content | null): RequestNovelty {
  if (record === null) return 'NEW';
  const isSame = fingerprints.some(
    ({ dataKeyId, fingerprint }) => dataKeyId === record.dataKeyId && fingerprint === record.fingerprint,
  );
  return isSame ? 'REPEATED' : 'KEY_REUSED';
}

export function isSameKey(identity: RequestIdentity, record: IdempotencyRecord): boolean {
  if (record.keyHmac === undefined) return record.keyHash === identity.keyHash;
  return identity.fingerprints.some(
    ({ dataKeyId, keyHmac }) => dataKeyId === record.dataKeyId && keyHmac === record.keyHmac,
  );
}

/** The record that a request stores in its event. */
export function recordOf(identity: RequestIdentity): IdempotencyRecord {
  return { ...identity.fingerprints[0] };
}
