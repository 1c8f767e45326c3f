/*
 * Stored events are a storage format: never rename a type or a field, never change a meaning. Only add optional fields.
 * For any other change, raise the schema version in ./schemas.ts and add an upcaster and a spec with the old JSON.
 * Amounts are decimal strings of minor units; times are RFC 3339 UTC; no fractional numbers, no integer-like keys.
 */
import type { DomainEvent } from '@app/event-sourcing';
import type { IdempotencyRecord } from '@app/idempotency/domain/repetition';

export interface ProcessorResponse {
  readonly code: string;
  readonly message: string;
}

/** Why a payment or a refund failed, as shown to merchants. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}

/**
 * Who receives the webhook for an event. Stored in the event, so that the event alone determines what is sent where.
 */
export interface WebhookTarget {
  readonly merchantId: string;
  readonly notifyUrl: string | null;
}

export type PaymentCreated = DomainEvent<
  'PaymentCreated',
  {
    readonly paymentId: string;
    readonly merchantId: string;
    readonly orderId: string;
    readonly payerId: string;
    readonly maskedCardNumber: string;
    readonly amountMinor: string;
    readonly currency: string;
    readonly captureMethod: 'AUTOMATIC' | 'MANUAL';
    readonly merchantMetadata: readonly (readonly [key: string, value: string])[];
    readonly notifyUrl: string | null;
    /** When the customer's time ends. */
    readonly expiresAt: string;
    /** The gateway references of the payment's transactions; the gateway acts at most once per reference. */
    readonly transactionIds: { readonly authorization: string; readonly capture: string; readonly void: string };
    readonly gatewayReference: string;
    readonly riskScore: number;
    readonly riskLevel: 'LOW' | 'MEDIUM' | 'HIGH';
    readonly nextAction: {
      readonly type: '3DS_AUTHENTICATION';
      readonly redirectUrl: string;
      readonly fallbackUrl: string;
    } | null;
    readonly idempotency: IdempotencyRecord;
  }
>;

/** The customer passed the authentication. */
export type PaymentAuthenticated = DomainEvent<'PaymentAuthenticated', { readonly paymentId: string }>;

export type PaymentAuthorized = DomainEvent<
  'PaymentAuthorized',
  WebhookTarget & {
    readonly paymentId: string;
    readonly transactionId: string;
    readonly amountMinor: string;
    readonly currency: string;
    readonly processorResponse: ProcessorResponse;
    readonly captureMethod: 'AUTOMATIC' | 'MANUAL';
    /** The hold may be captured until then. */
    readonly holdExpiresAt: string;
  }
>;

/** From here on the payment can't be cancelled: the gateway is asked to capture. */
export type PaymentCaptureRequested = DomainEvent<
  'PaymentCaptureRequested',
  {
    readonly paymentId: string;
    readonly transactionId: string;
    readonly amountMinor: string;
    readonly currency: string;
    /** Null if the capture follows the authorization automatically. */
    readonly idempotency: IdempotencyRecord | null;
  }
>;

/** The amount was captured: the payment is complete. */
export type PaymentCaptured = DomainEvent<
  'PaymentCaptured',
  WebhookTarget & {
    readonly paymentId: string;
    readonly transactionId: string;
    readonly amountMinor: string;
    readonly currency: string;
    /** The fee charged by the merchant's schedule at that time; `0` if there is none. */
    readonly feeMinor: string;
    readonly processorResponse: ProcessorResponse;
  }
>;

export type PaymentCaptureRefused = DomainEvent<
  'PaymentCaptureRefused',
  {
    readonly paymentId: string;
    readonly transactionId: string;
    readonly failure: Failure;
    readonly processorResponse: ProcessorResponse;
  }
>;

/** The merchant requested the cancellation. What is in flight determines the steps it takes. */
export type PaymentCancellationRequested = DomainEvent<
  'PaymentCancellationRequested',
  { readonly paymentId: string; readonly reason: string | null; readonly idempotency: IdempotencyRecord }
>;

/** The customer's time or the hold has expired. What is in flight determines the steps the expiry takes. */
export type PaymentExpiryRequested = DomainEvent<
  'PaymentExpiryRequested',
  { readonly paymentId: string; readonly cause: 'CUSTOMER_TIMEOUT' | 'HOLD_TIMEOUT' }
>;

/** A granted authorization was released. */
export type PaymentVoided = DomainEvent<
  'PaymentVoided',
  {
    readonly paymentId: string;
    readonly transactionId: string;
    readonly amountMinor: string;
    readonly currency: string;
    readonly processorResponse: ProcessorResponse;
  }
>;

export type PaymentFailed = DomainEvent<
  'PaymentFailed',
  WebhookTarget & {
    readonly paymentId: string;
    readonly failure: Failure;
    /** The processor's response to the authorization, if that was requested and declined; otherwise null. */
    readonly processorResponse: ProcessorResponse | null;
  }
>;

export type PaymentCancelled = DomainEvent<'PaymentCancelled', WebhookTarget & { readonly paymentId: string }>;

export type PaymentExpired = DomainEvent<'PaymentExpired', WebhookTarget & { readonly paymentId: string }>;

export type GatewayOperation = 'AWAIT_CUSTOMER' | 'AUTHORIZE' | 'CAPTURE' | 'VOID' | 'REFUND';

export type RetryReason = 'CUSTOMER_PENDING' | 'OUTCOME_UNKNOWN' | 'GATEWAY_PENDING' | 'GATEWAY_UNAVAILABLE';

/** The step could not be finished now; it is retried when it is due. */
export type GatewayStepDeferred = DomainEvent<
  'GatewayStepDeferred',
  {
    readonly paymentId: string;
    readonly operation: GatewayOperation;
    readonly refundId: string | null;
    /** The number of this step's retry: 1 for the first. */
    readonly attempt: number;
    readonly reason: RetryReason;
    readonly dueAt: string;
    /**
     * The clock reading that `dueAt` is counted from. The recorded time may differ, since it never runs backwards.
     * Absent from early events.
     */
    readonly scheduledAt?: string;
  }
>;

/** A refund was accepted: its amount is reserved. */
export type RefundRequested = DomainEvent<
  'RefundRequested',
  WebhookTarget & {
    readonly paymentId: string;
    readonly refundId: string;
    readonly transactionId: string;
    readonly amountMinor: string;
    readonly currency: string;
    readonly reason: string | null;
    readonly referenceId: string | null;
    readonly estimatedCompletion: string;
    readonly idempotency: IdempotencyRecord;
  }
>;

export type RefundCompleted = DomainEvent<
  'RefundCompleted',
  WebhookTarget & {
    readonly paymentId: string;
    readonly refundId: string;
    readonly transactionId: string;
    readonly amountMinor: string;
    readonly currency: string;
    readonly processorResponse: ProcessorResponse;
  }
>;

/** The gateway refused the refund: its amount is no longer reserved. */
export type RefundFailed = DomainEvent<
  'RefundFailed',
  WebhookTarget & {
    readonly paymentId: string;
    readonly refundId: string;
    readonly transactionId: string;
    readonly amountMinor: string;
    readonly currency: string;
    readonly failure: Failure;
    readonly processorResponse: ProcessorResponse;
  }
>;

/** Why the cardholder or their bank disputes the payment. */
export type DisputeReason =
  | 'FRAUDULENT'
  | 'UNRECOGNIZED'
  | 'DUPLICATE'
  | 'PRODUCT_NOT_RECEIVED'
  | 'PRODUCT_UNACCEPTABLE'
  | 'SUBSCRIPTION_CANCELLED'
  | 'CREDIT_NOT_PROCESSED'
  | 'GENERAL';

type DisputeFacts = WebhookTarget & {
  readonly paymentId: string;
  readonly disputeId: string;
  /** The gateway's name for the dispute. */
  readonly disputeReference: string;
  /** The disputed capture. */
  readonly transactionId: string;
  readonly amountMinor: string;
  readonly currency: string;
  /** What the gateway charges for the dispute, whoever wins it; `0` if nothing. */
  readonly feeMinor: string;
  readonly reason: DisputeReason;
  /** Until then the merchant may prove that the payment was right; null if there is nothing to prove any more. */
  readonly evidenceDueAt: string | null;
};

/** The gateway reported a dispute: it withdrew the amount and charged the fee. */
export type DisputeOpened = DomainEvent<'DisputeOpened', DisputeFacts>;

/** The merchant won: the gateway returned the amount, but not the fee. */
export type DisputeWon = DomainEvent<'DisputeWon', DisputeFacts & { readonly openedAt: string }>;

/** The merchant lost: what was withdrawn is gone. */
export type DisputeLost = DomainEvent<'DisputeLost', DisputeFacts & { readonly openedAt: string }>;

export type PaymentEvent =
  | PaymentCreated
  | PaymentAuthenticated
  | PaymentAuthorized
  | PaymentCaptureRequested
  | PaymentCaptured
  | PaymentCaptureRefused
  | PaymentCancellationRequested
  | PaymentExpiryRequested
  | PaymentVoided
  | PaymentFailed
  | PaymentCancelled
  | PaymentExpired
  | GatewayStepDeferred
  | RefundRequested
  | RefundCompleted
  | RefundFailed
  | DisputeOpened
  | DisputeWon
  | DisputeLost;
