import { unreachable } from '@app/kernel';
import type { CancelPayment, CapturePayment, CreatePayment, CreateRefund } from './commands';
import type { IdempotencyRecord } from './events';
import { type Payment, refundOf } from './payment';

/** A request's key and content under every data key there is, so that those of an old payment can be compared too. */
export interface RequestIdentity {
  /** SHA-256 of the key, which older events hold; it is stored no more. */
  readonly keyHash: string;
  /** The first one is under the current data key, and is the one that is stored. */
  readonly fingerprints: readonly [Fingerprint, ...Fingerprint[]];
}

export interface Fingerprint {
  readonly dataKeyId: string;
  /** HMAC of the Idempotency-Key. */
  readonly keyHmac: string;
  /** HMAC of the body. */
  readonly fingerprint: string;
}

/** A request that was accepted; its answer, and that of every replay, shows the payment as of the event that holds it. */
export interface AcceptedRequest {
  readonly action: 'CAPTURE' | 'CANCEL';
  readonly idempotency: IdempotencyRecord;
  readonly revision: number;
}

/** What a request is recognised by, before anything else of it is judged. */
export type KeyedRequest =
  | Pick<CreatePayment, 'type' | 'identity'>
  | Pick<CapturePayment, 'type' | 'identity'>
  | Pick<CancelPayment, 'type' | 'identity'>
  | Pick<CreateRefund, 'type' | 'identity' | 'refundId'>;

export type RequestNovelty = 'NEW' | 'REPEATED' | 'KEY_REUSED';

/** Whether the payment has accepted this request before. The one place that decides it, for handlers and for `decide`. */
export function noveltyOf(request: KeyedRequest, payment: Payment | null): RequestNovelty {
  const record = payment === null ? null : recordIn(payment, request);
  if (record === null) return 'NEW';
  return isSameContent(request.identity, record) ? 'REPEATED' : 'KEY_REUSED';
}

/** What the payment holds under the request's key. */
function recordIn(payment: Payment, request: KeyedRequest): IdempotencyRecord | null {
  switch (request.type) {
    case 'CreatePayment':
      // The payment's id is derived from its key.
      return payment.created.idempotency;
    case 'CapturePayment':
    case 'CancelPayment':
      return acceptedRequest(payment, request)?.idempotency ?? null;
    case 'CreateRefund':
      // And so is the refund's.
      return refundOf(payment, request.refundId)?.request.idempotency ?? null;
    default:
      return unreachable(request);
  }
}

/** The capture or cancellation that was accepted under this key. */
export function acceptedRequest(
  { requests }: Payment,
  { type, identity }: Pick<CapturePayment | CancelPayment, 'type' | 'identity'>,
): AcceptedRequest | null {
  const action = type === 'CapturePayment' ? 'CAPTURE' : 'CANCEL';
  return requests.find((request) => request.action === action && isSameKey(identity, request.idempotency)) ?? null;
}

/** The record that a request leaves in its event. */
export function recordOf(identity: RequestIdentity): IdempotencyRecord {
  return { ...identity.fingerprints[0] };
}

function isSameKey(identity: RequestIdentity, record: IdempotencyRecord): boolean {
  if (record.keyHmac === undefined) return record.keyHash === identity.keyHash;
  return identity.fingerprints.some(
    ({ dataKeyId, keyHmac }) => dataKeyId === record.dataKeyId && keyHmac === record.keyHmac,
  );
}

function isSameContent(identity: RequestIdentity, record: IdempotencyRecord): boolean {
  return identity.fingerprints.some(
    ({ dataKeyId, fingerprint }) => dataKeyId === record.dataKeyId && fingerprint === record.fingerprint,
  );
}
