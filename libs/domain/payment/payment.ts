import { type StoredEvent, unreachable } from '@app/kernel';
import type {
  Announcement,
  Failure,
  GatewayStepDeferred,
  IdempotencyRecord,
  PaymentCreated,
  PaymentEvent,
  ProcessorWord,
} from './events';
import { eachRefund, NO_REFUNDS, type Refund, refundIn, type Refunds, withRefund } from './refunds';

export type PaymentStatus = 'PROCESSING' | 'AUTHORIZED' | 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'EXPIRED';
export type TransactionStatus = 'PENDING' | 'SUCCESS' | 'FAILED';
export type Deferral = GatewayStepDeferred['data'];

/** The end a payment is bound for, once the gateway's word on everything in flight is in. */
export type IntendedEnd =
  | {
      readonly as: 'CANCELLED';
      readonly idempotency: IdempotencyRecord;
      /** Of the event that holds the request: its answer, and that of every replay, shows the payment as of then. */
      readonly revision: number;
    }
  | { readonly as: 'EXPIRED' }
  | { readonly as: 'FAILED'; readonly failure: Failure };

/** Of what a step is the consequence: the event that asks for it, and the request that began it all. */
export interface Origin {
  readonly eventId: string;
  readonly correlationId: string;
}

export interface Capture {
  readonly transactionId: string;
  readonly amountMinor: bigint;
  readonly status: TransactionStatus;
  readonly requestedAt: string;
  readonly idempotency: IdempotencyRecord | null;
  /** Of the event that holds the request, for its answer and that of every replay. */
  readonly revision: number;
}

/** A payment with its refunds: one stream, one consistency boundary. */
export interface Payment {
  readonly created: PaymentCreated['data'];
  readonly amountMinor: bigint;
  readonly status: PaymentStatus;
  readonly awaitingCustomer: boolean;
  readonly intendedEnd: IntendedEnd | null;
  readonly authorization: { readonly status: TransactionStatus; readonly processorResponse: ProcessorWord | null };
  readonly holdExpiresAt: string | null;
  readonly capture: Capture | null;
  readonly void: { readonly transactionId: string; readonly at: string } | null;
  readonly failure: Failure | null;
  /** Look into them with `refundOf` and `refundsOf`. */
  readonly refunds: Refunds;
  readonly deferral: Deferral | null;
  readonly timeline: {
    readonly createdAt: string;
    readonly authorizedAt?: string;
    readonly capturedAt?: string;
    readonly completedAt?: string;
    readonly failedAt?: string;
    readonly cancelledAt?: string;
    readonly expiredAt?: string;
  };
  /** When the last event that moved the payment itself was recorded: its next step is due from then on. */
  readonly movedAt: string;
  readonly origin: Origin;
}

/** Where a payment's events are announced, unless a refund names another place. */
export function announcement(payment: Payment): Announcement {
  return { merchantId: payment.created.merchantId, notifyUrl: payment.created.notifyUrl };
}

export function refundOf(payment: Payment, refundId: string): Refund | undefined {
  return refundIn(payment.refunds, refundId);
}

/** In the order in which they were asked for. */
export function refundsOf(payment: Payment): readonly Refund[] {
  return [...eachRefund(payment.refunds)];
}

/** What pending and completed refunds leave of the captured amount, in minor units. */
export function refundableMinor({ capture, refunds }: Payment): bigint {
  if (capture?.status !== 'SUCCESS') return 0n;
  return capture.amountMinor - refunds.reservedMinor - refunds.refundedMinor;
}

export function refundedMinor(payment: Payment): bigint {
  return payment.refunds.refundedMinor;
}

/** The state after the event. Total: it never rejects history. What `decide` would not have allowed is taken as it is. */
export function evolve(payment: Payment | null, event: StoredEvent<PaymentEvent>): Payment | null {
  const at = event.metadata.recordedAt;
  if (event.type === 'PaymentCreated') return payment ?? begin(event);
  if (payment === null) return null;
  switch (event.type) {
    case 'RefundRequested':
    case 'RefundCompleted':
    case 'RefundFailed':
      return withChanged(payment, evolvedRefund(payment, event, at));
    case 'GatewayStepDeferred':
      return defer(payment, event.data);
    default:
      return { ...payment, ...moved(payment, event, at), deferral: null, movedAt: at, origin: originOf(event) };
  }
}

function originOf(event: StoredEvent): Origin {
  return { eventId: event.id, correlationId: event.metadata.correlationId };
}

function begin(event: StoredEvent<PaymentCreated>): Payment {
  const { data: created } = event;
  const at = event.metadata.recordedAt;
  return {
    created,
    amountMinor: BigInt(created.amountMinor),
    status: 'PROCESSING',
    awaitingCustomer: created.nextAction !== null,
    intendedEnd: null,
    authorization: { status: 'PENDING', processorResponse: null },
    holdExpiresAt: null,
    capture: null,
    void: null,
    failure: null,
    refunds: NO_REFUNDS,
    deferral: null,
    timeline: { createdAt: at },
    movedAt: at,
    origin: originOf(event),
  };
}

type RefundEvent = Extract<PaymentEvent, { type: 'RefundRequested' | 'RefundCompleted' | 'RefundFailed' }>;
type MovingEvent = Exclude<PaymentEvent, RefundEvent | { type: 'PaymentCreated' | 'GatewayStepDeferred' }>;

/** What an event of the payment itself changes in it. */
function moved(payment: Payment, event: StoredEvent<MovingEvent>, at: string): Partial<Payment> {
  const { timeline } = payment;
  switch (event.type) {
    case 'PaymentAuthenticated':
      return { awaitingCustomer: false };
    case 'PaymentAuthorized': {
      const { processorResponse, holdExpiresAt } = event.data;
      const authorization = { status: 'SUCCESS' as const, processorResponse };
      return { status: 'AUTHORIZED', authorization, holdExpiresAt, timeline: { ...timeline, authorizedAt: at } };
    }
    case 'PaymentCaptureRequested': {
      const { transactionId, idempotency } = event.data;
      const amountMinor = BigInt(event.data.amountMinor);
      const { revision } = event;
      return { capture: { transactionId, amountMinor, status: 'PENDING', requestedAt: at, idempotency, revision } };
    }
    case 'PaymentCaptured': {
      const capture = payment.capture === null ? null : { ...payment.capture, status: 'SUCCESS' as const };
      return { status: 'COMPLETED', capture, timeline: { ...timeline, capturedAt: at, completedAt: at } };
    }
    case 'PaymentCaptureRefused': {
      const capture = payment.capture === null ? null : { ...payment.capture, status: 'FAILED' as const };
      return { capture, intendedEnd: { as: 'FAILED', failure: event.data.failure } };
    }
    case 'PaymentCancellationRequested':
      return { intendedEnd: { as: 'CANCELLED', idempotency: event.data.idempotency, revision: event.revision } };
    case 'PaymentExpiryRequested':
      return { intendedEnd: { as: 'EXPIRED' } };
    case 'PaymentVoided':
      return { void: { transactionId: event.data.transactionId, at } };
    case 'PaymentFailed': {
      const { failure, processorResponse } = event.data;
      const ended = endedAuthorization(payment, processorResponse);
      return { status: 'FAILED', failure, ...ended, timeline: { ...timeline, failedAt: at } };
    }
    case 'PaymentCancelled':
      return { status: 'CANCELLED', ...endedAuthorization(payment), timeline: { ...timeline, cancelledAt: at } };
    case 'PaymentExpired':
      return { status: 'EXPIRED', ...endedAuthorization(payment), timeline: { ...timeline, expiredAt: at } };
    default:
      return unreachable(event);
  }
}

/** An authorization that was never granted has failed, once the payment has ended. */
function endedAuthorization(payment: Payment, processorResponse: ProcessorWord | null = null): Partial<Payment> {
  if (payment.authorization.status === 'SUCCESS') return { awaitingCustomer: false };
  return { awaitingCustomer: false, authorization: { status: 'FAILED', processorResponse } };
}

function withChanged(payment: Payment, refund: Refund | null): Payment {
  return refund === null ? payment : { ...payment, refunds: withRefund(payment.refunds, refund) };
}

/** Null where the event tells of a refund that was never asked for. */
function evolvedRefund(payment: Payment, event: StoredEvent<RefundEvent>, at: string): Refund | null {
  if (event.type === 'RefundRequested') {
    const amountMinor = BigInt(event.data.amountMinor);
    const open = { status: 'PENDING', failure: null, deferral: null } as const;
    return { request: event.data, amountMinor, requestedAt: at, origin: originOf(event), ...open };
  }
  const refund = refundOf(payment, event.data.refundId);
  if (refund === undefined) return null;
  const settled = { ...refund, deferral: null };
  return event.type === 'RefundCompleted'
    ? { ...settled, status: 'COMPLETED' }
    : { ...settled, status: 'FAILED', failure: event.data.failure };
}

function defer(payment: Payment, deferral: Deferral): Payment {
  if (deferral.refundId === null) return { ...payment, deferral };
  const refund = refundOf(payment, deferral.refundId);
  return withChanged(payment, refund === undefined ? null : { ...refund, deferral });
}
