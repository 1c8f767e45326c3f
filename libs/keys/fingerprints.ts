import { createHmac, hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import canonicalize from 'canonicalize';
import type { Fingerprint, RequestIdentity } from '@app/idempotency/domain/repetition';
import { assert } from '@app/event-sourcing';
import { KeyRing, type OpenDataKey } from './key-ring';

/** 32 bytes derived from a data key. */
export interface DerivedKey {
  readonly dataKeyId: string;
  readonly key: Buffer;
}

/**
 * Makes the fingerprints that distinguish a repeated request from another one with the same idempotency key. The body
 * contains a card number, which a plain hash would reveal to anyone who tries all numbers. So it is an HMAC with a
 * random key, stored encrypted in the log.
 */
@Injectable()
export class RequestFingerprints {
  constructor(private readonly keyRing: KeyRing) {}

  /**
   * Identifies a request by HMACs of its Idempotency-Key and its content under every data key. The `cvv` of
   * `payer.paymentMethod.card` is left out, because not even a fingerprint of it may be stored.
   *
   * @param body parsed JSON; not changed. Its strings must be well-formed Unicode (canonical JSON allows no lone
   * surrogates).
   * @throws EventStoreUnavailableError if the data keys are not loaded yet.
   */
  identify(idempotencyKey: string, body: object): RequestIdentity {
    const [current, ...older] = this.keyRing.keysFor('FINGERPRINTS');
    const content = canonicalize(withoutCvv(body));
    assert(content, 'a body is a JSON object');
    return {
      keyHash: hash('sha256', idempotencyKey, 'hex'),
      fingerprints: [
        fingerprint(current, idempotencyKey, content),
        ...older.map((key) => fingerprint(key, idempotencyKey, content)),
      ],
    };
  }

  /**
   * Derives one key for a purpose from each data key, without revealing the data key; the current one's first.
   *
   * @throws EventStoreUnavailableError if the data keys are not loaded yet.
   */
  derivedKeys(purpose: string): readonly DerivedKey[] {
    return this.keyRing.keysFor('FINGERPRINTS').map(({ dataKeyId, key }) => ({
      dataKeyId,
      key: createHmac('sha256', key).update(`key-for/${purpose}`).digest(),
    }));
  }
}

/** No content starts with this prefix, so that neither HMAC can pass for the other. */
function fingerprint({ dataKeyId, key }: OpenDataKey, idempotencyKey: string, content: string): Fingerprint {
  const hmac = (text: string) => createHmac('sha256', key).update(text, 'utf8').digest('hex');
  return { dataKeyId, keyHmac: hmac(`Idempotency-Key: ${idempotencyKey}`), fingerprint: hmac(content) };
}

type Json = Readonly<Record<string, unknown>>;

const CVV_PATH = ['payer', 'paymentMethod', 'card'] as const;

/** The same body without the `cvv`; shares everything else with it. */
function withoutCvv(body: object): object {
  return without(body as Json, CVV_PATH, 'cvv');
}

function without(object: Json, path: readonly string[], name: string): Json {
  const [step, ...rest] = path;
  if (step === undefined) {
    const { [name]: _left, ...others } = object;
    return others;
  }
  const inner = object[step];
  return isObject(inner) ? { ...object, [step]: without(inner, rest, name) } : object;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
