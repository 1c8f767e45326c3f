import type { RequestIdentity } from '@app/idempotency/domain/repetition';
import type {
  DisputeReason,
  Failure,
  GatewayOperation,
  PaymentCreated,
  ProcessorResponse,
  RetryReason,
} from './events';

/** The gateway's final answer for a transaction. */
export type Verdict =
  | { readonly kind: 'approved'; readonly processorResponse: ProcessorResponse }
  | { readonly kind: 'declined'; readonly failure: Failure; readonly processorResponse: ProcessorResponse };

export interface CreatePayment {
  readonly type: 'CreatePayment';
  readonly payment: Omit<PaymentCreated['data'], 'idempotency'>;
  readonly identity: RequestIdentity;
}

export interface CapturePayment {
  readonly type: 'CapturePayment';
  /** Null captures the full authorized amount. */
  readonly amount: { readonly amountMinor: bigint; readonly currency: string } | null;
  readonly identity: RequestIdentity;
}

export interface CancelPayment {
  readonly type: 'CancelPayment';
  readonly reason: string | null;
  readonly identity: RequestIdentity;
}

export interface CreateRefund {
  readonly type: 'CreateRefund';
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

/** The customer has passed or failed the authentication, or their time is over. */
export interface RecordAuthentication {
  readonly type: 'RecordAuthentication';
  readonly outcome: 'succeeded' | 'failed' | 'expired';
}

/** The gateway's answer to the authorization. */
export interface RecordAuthorization {
  readonly type: 'RecordAuthorization';
  readonly verdict: Verdict;
  readonly holdExpiresAt: string;
}

export interface RecordCapture {
  readonly type: 'RecordCapture';
  readonly verdict: Verdict;
  /** The fee for an approved capture, in minor units: from 0 to the captured amount. */
  readonly feeMinor: bigint;
}

/**
 * The gateway has voided the payment. `authorization` is the response to an authorization that was in flight and
 * granted; null if none was granted.
 */
export interface RecordVoid {
  readonly type: 'RecordVoid';
  readonly processorResponse: ProcessorResponse;
  readonly authorization: ProcessorResponse | null;
  readonly holdExpiresAt: string;
}

export interface RecordRefund {
  readonly type: 'RecordRefund';
  readonly refundId: string;
  readonly verdict: Verdict;
}

/** The gateway has opened a dispute. */
export interface RecordDispute {
  readonly type: 'RecordDispute';
  readonly disputeId: string;
  readonly disputeReference: string;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly feeMinor: bigint;
  readonly reason: DisputeReason;
  readonly evidenceDueAt: string | null;
}

/** The gateway has decided a dispute, whose opening was recorded before. */
export interface RecordDisputeOutcome {
  readonly type: 'RecordDisputeOutcome';
  readonly disputeId: string;
  readonly outcome: 'WON' | 'LOST';
}

/** Ends a hold that was not captured in time. */
export interface ExpireHold {
  readonly type: 'ExpireHold';
  readonly now: string;
}

export interface ScheduleRetry {
  readonly type: 'ScheduleRetry';
  readonly operation: GatewayOperation;
  readonly refundId: string | null;
  readonly attempt: number;
  readonly reason: RetryReason;
  readonly dueAt: string;
  /** The clock reading that `dueAt` is counted from. */
  readonly scheduledAt: string;
}

export type PaymentCommand =
  | CreatePayment
  | CapturePayment
  | CancelPayment
  | CreateRefund
  | RecordAuthentication
  | RecordAuthorization
  | RecordCapture
  | RecordVoid
  | RecordRefund
  | RecordDispute
  | RecordDisputeOutcome
  | ExpireHold
  | ScheduleRetry;

/** Why a command was refused; each value is a code of the error catalogue. */
export type PaymentRejection =
  | 'PAYMENT_NOT_FOUND'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'INVALID_STATE'
  | 'CURRENCY_MISMATCH'
  | 'REFUND_AMOUNT_EXCEEDED'
  | 'TOO_MANY_REFUNDS'
  | 'CAPTURE_AMOUNT_EXCEEDED';
