/*
 * Stored events are a storage format: never rename a type or a field, never change a meaning. Add optional fields only;
 * otherwise raise the schema version in ./schemas.ts, add an upcaster and a spec that holds the old JSON.
 * Amounts are decimal strings of minor units; times are RFC 3339 UTC; no fractional numbers, no integer-like keys.
 */
import type { DomainEvent } from '@app/event-sourcing';
import type { IdempotencyRecord } from '@app/idempotency/domain/repetition';

export interface ProcessorResponse {
  readonly code: string;
  readonly message: string;
}

/** Why a payment or a refund failed, as merchants see it. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}

/** Who is told of an event by webhook; decided with the event, so that the event alone says what is sent where. */
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
    /** When the customer's time is over. */
    readonly expiresAt: string;
    /** The references under which the gateway acts, each at most once, for ever. */
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
    /** Until when the hold may be captured. */
    readonly holdExpiresAt: string;
  }
>;

/** From here on the payment can't be cancelled: the gateway is asked to take the money. */
export type PaymentCaptureRequested = DomainEvent<
  'PaymentCaptureRequested',
  {
    readonly paymentId: string;
    readonly transactionId: string;
    readonly amountMinor: string;
    readonly currency: string;
    /** Null where the capture follows the authorization by itself. */
    readonly idempotency: IdempotencyRecord | null;
  }
>;

/** The money was taken: the payment is complete. */
export type PaymentCaptured = DomainEvent<
  'PaymentCaptured',
  WebhookTarget & {
    readonly paymentId: string;
    readonly transactionId: string;
    readonly amountMinor: string;
    readonly currency: string;
    /** What the merchant is charged of the amount, by their schedule at that time; `0` where nothing is. */
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

/** The merchant wants it cancelled; what is in flight decides what that takes. */
export type PaymentCancellationRequested = DomainEvent<
  'PaymentCancellationRequested',
  { readonly paymentId: string; readonly reason: string | null; readonly idempotency: IdempotencyRecord }
>;

/** The customer's or the hold's time is over; what is in flight decides what that takes. */
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
    /** The processor's response to the authorization, where it was asked and declined. */
    readonly processorResponse: ProcessorResponse | null;
  }
>;

export type PaymentCancelled = DomainEvent<'PaymentCancelled', WebhookTarget & { readonly paymentId: string }>;

export type PaymentExpired = DomainEvent<'PaymentExpired', WebhookTarget & { readonly paymentId: string }>;

export type GatewayOperation = 'AWAIT_CUSTOMER' | 'AUTHORIZE' | 'CAPTURE' | 'VOID' | 'REFUND';

export type RetryReason = 'CUSTOMER_PENDING' | 'OUTCOME_UNKNOWN' | 'GATEWAY_PENDING' | 'GATEWAY_UNAVAILABLE';

/** The step could not be finished now: it is retried when it is due again. */
export type GatewayStepDeferred = DomainEvent<
  'GatewayStepDeferred',
  {
    readonly paymentId: string;
    readonly operation: GatewayOperation;
    readonly refundId: string | null;
    /** Which retry of this step it is: 1 for the first. */
    readonly attempt: number;
    readonly reason: RetryReason;
    readonly dueAt: string;
    /**
     * The clock's time that `dueAt` was counted from. The recorded time may differ, as it never runs backwards. Absent
     * from early events.
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

/** The gateway refused the refund: its amount is free again. */
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
  | RefundFailed;
