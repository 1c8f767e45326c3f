import type {
  DeferralReason,
  Failure,
  GatewayOperation,
  IdempotencyRecord,
  PaymentCreated,
  ProcessorWord,
} from './events';

/** The gateway's final word on a transaction. */
export type Verdict =
  | { readonly kind: 'approved'; readonly processorResponse: ProcessorWord }
  | { readonly kind: 'declined'; readonly failure: Failure; readonly processorResponse: ProcessorWord };

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

export interface CreatePayment {
  readonly kind: 'CreatePayment';
  readonly payment: Omit<PaymentCreated['data'], 'idempotency'>;
  readonly identity: RequestIdentity;
}

export interface RequestCapture {
  readonly kind: 'RequestCapture';
  /** Null captures what was authorized. */
  readonly amount: { readonly amountMinor: bigint; readonly currency: string } | null;
  readonly identity: RequestIdentity;
}

export interface RequestCancellation {
  readonly kind: 'RequestCancellation';
  readonly reason: string | null;
  readonly identity: RequestIdentity;
}

export interface RequestRefund {
  readonly kind: 'RequestRefund';
  readonly refundId: string;
  readonly transactionId: string;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly reason: string | null;
  readonly referenceId: string | null;
  readonly notifyUrl: string | null;
  readonly estimatedCompletion: string;
  readonly identity: RequestIdentity;
}

/** The customer has answered, or their time is over. */
export interface RecordChallenge {
  readonly kind: 'RecordChallenge';
  readonly outcome: 'succeeded' | 'failed' | 'expired';
}

/** The gateway's word on the authorization. */
export interface RecordAuthorization {
  readonly kind: 'RecordAuthorization';
  readonly verdict: Verdict;
  readonly holdExpiresAt: string;
}

export interface RecordCapture {
  readonly kind: 'RecordCapture';
  readonly verdict: Verdict;
  /** What the merchant is charged for a capture that was approved, in minor units: from nothing to the amount itself. */
  readonly feeMinor: bigint;
}

/**
 * The gateway has closed the payment. `authorization` is its word on an authorization that was in flight when the end was
 * asked for: null when it never granted one.
 */
export interface RecordVoid {
  readonly kind: 'RecordVoid';
  readonly processorResponse: ProcessorWord;
  readonly authorization: ProcessorWord | null;
  readonly holdExpiresAt: string;
}

export interface RecordRefund {
  readonly kind: 'RecordRefund';
  readonly refundId: string;
  readonly verdict: Verdict;
}

/** A hold that nobody captured in time. */
export interface ExpireHold {
  readonly kind: 'ExpireHold';
  readonly now: string;
}

export interface DeferStep {
  readonly kind: 'DeferStep';
  readonly operation: GatewayOperation;
  readonly refundId: string | null;
  readonly attempt: number;
  readonly reason: DeferralReason;
  readonly dueAt: string;
  /** What the clock shows that `dueAt` is counted from. */
  readonly scheduledAt: string;
}

export type PaymentCommand =
  | CreatePayment
  | RequestCapture
  | RequestCancellation
  | RequestRefund
  | RecordChallenge
  | RecordAuthorization
  | RecordCapture
  | RecordVoid
  | RecordRefund
  | ExpireHold
  | DeferStep;

/** Why a command was refused; each is a code of the error catalogue. */
export type PaymentRejection =
  | 'PAYMENT_NOT_FOUND'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'INVALID_STATE'
  | 'CURRENCY_MISMATCH'
  | 'REFUND_AMOUNT_EXCEEDED'
  | 'TOO_MANY_REFUNDS'
  | 'CAPTURE_AMOUNT_EXCEEDED';

/** The record that a request leaves in its event. */
export function recordOf(identity: RequestIdentity): IdempotencyRecord {
  return { ...identity.fingerprints[0] };
}

/** Whether the request has the key of the one that left the record. */
export function isSameKey(identity: RequestIdentity, record: IdempotencyRecord): boolean {
  if (record.keyHmac === undefined) return record.keyHash === identity.keyHash;
  return identity.fingerprints.some(
    ({ dataKeyId, keyHmac }) => dataKeyId === record.dataKeyId && keyHmac === record.keyHmac,
  );
}

/** Whether the request is the very one that left the record: the same key with the same content. */
export function isSameRequest(identity: RequestIdentity, record: IdempotencyRecord): boolean {
  return identity.fingerprints.some(
    ({ dataKeyId, fingerprint }) => dataKeyId === record.dataKeyId && fingerprint === record.fingerprint,
  );
}
