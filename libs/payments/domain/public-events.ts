import { type StoredEvent, unreachable } from '@app/event-sourcing';
import { type Currency, toAmount } from '@app/money';
import type { DisputeStatus } from './disputes';
import type { DisputeLost, DisputeOpened, DisputeWon, PaymentEvent, RefundCompleted, RefundFailed } from './events';
import { evolve } from './evolve';
import { publicEventId } from './ids';
import { type Payment, refundOf } from './payment';
import type { RefundState, RequestedRefund } from './refunds';

/** An event as merchants receive it, by webhook and in event lists. Types and shapes are a public contract. */
export interface PublicEvent {
  readonly eventId: string;
  readonly eventType: PublicEventType;
  /** RFC 3339 UTC, milliseconds. */
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export type PublicEventType =
  | 'payment.authorized'
  | 'payment.completed'
  | 'payment.failed'
  | 'payment.cancelled'
  | 'payment.expired'
  | 'refund.completed'
  | 'refund.failed'
  | 'dispute.opened'
  | 'dispute.won'
  | 'dispute.lost';

/** The public type of a stored event, or null if merchants don't receive it. Depends on the event alone. */
export function publicEventType(event: PaymentEvent): PublicEventType | null {
  switch (event.type) {
    case 'PaymentAuthorized':
      // With automatic capture, merchants are sent the completion only.
      return event.data.captureMethod === 'MANUAL' ? 'payment.authorized' : null;
    case 'PaymentCaptured':
      return 'payment.completed';
    case 'PaymentFailed':
      return 'payment.failed';
    case 'PaymentCancelled':
      return 'payment.cancelled';
    case 'PaymentExpired':
      return 'payment.expired';
    case 'RefundCompleted':
      return 'refund.completed';
    case 'RefundFailed':
      return 'refund.failed';
    case 'DisputeOpened':
      return 'dispute.opened';
    case 'DisputeWon':
      return 'dispute.won';
    case 'DisputeLost':
      return 'dispute.lost';
    default:
      return null;
  }
}

/**
 * The public form of the event; null if merchants don't receive it.
 *
 * @param payment the state after the event.
 * @param requestOf returns a refund's request, if the payment was not folded from all of its events.
 */
export function toPublicEvent(
  event: StoredEvent<PaymentEvent>,
  payment: Payment,
  requestOf: (refundId: string) => RequestedRefund | undefined = (refundId) => refundOf(payment, refundId),
): PublicEvent | null {
  const eventType = publicEventType(event);
  if (eventType === null) return null;
  const timestamp = event.metadata.recordedAt;
  return { eventId: publicEventId(event.id), eventType, timestamp, data: dataOf(event, payment, requestOf) };
}

function dataOf(
  event: StoredEvent<PaymentEvent>,
  payment: Payment,
  requestOf: (refundId: string) => RequestedRefund | undefined,
): PublicEvent['data'] {
  const { merchantId, orderId } = payment.created;
  switch (event.type) {
    case 'RefundCompleted':
    case 'RefundFailed':
      return refundData(event, payment, requestOf(event.data.refundId));
    case 'DisputeOpened':
    case 'DisputeWon':
    case 'DisputeLost':
      return { ...toDisputeResource(event), merchantId, orderId };
    default:
      return paymentData(event, payment, event.metadata.recordedAt);
  }
}

/**
 * Whether every later state of the payment gives the same public event: a refund's end is final, and what happened to a
 * dispute is in the event. The payment then need not be folded up to exactly this event, which is costly for payments
 * with many refunds.
 */
export function isToldFromAnyLaterState(event: PaymentEvent): boolean {
  return event.type.startsWith('Refund') || event.type.startsWith('Dispute');
}

/**
 * The public events of a stream, by revision; folds the stream once. Events that don't matter to the wanted ones may be
 * left out, but not the first event and not the requests of refunds whose end is wanted.
 */
export function publicEventsOf(
  events: readonly StoredEvent<PaymentEvent>[],
  isWanted: (revision: number) => boolean = () => true,
): ReadonlyMap<number, PublicEvent> {
  const told = new Map<number, PublicEvent>();
  const requests = new Map<string, RequestedRefund>();
  let payment: Payment | null = null;
  for (const event of events) {
    payment = evolve(payment, event);
    if (event.type === 'RefundRequested') {
      requests.set(event.data.refundId, { request: event.data, requestedAt: event.metadata.recordedAt });
    }
    if (payment === null || !isWanted(event.revision)) continue;
    const publicEvent = toPublicEvent(event, payment, (refundId) => requests.get(refundId));
    if (publicEvent !== null) told.set(event.revision, publicEvent);
  }
  return told;
}

function paymentData(event: StoredEvent<PaymentEvent>, payment: Payment, at: string): PublicEvent['data'] {
  const { paymentId, merchantId, orderId } = payment.created;
  const currency = payment.created.currency as Currency;
  const amountMinor = event.type === 'PaymentCaptured' ? BigInt(event.data.amountMinor) : payment.amountMinor;
  const amount = toAmount({ amountMinor, currency });
  const common = { paymentId, merchantId, orderId, status: payment.status, amount };
  switch (event.type) {
    case 'PaymentAuthorized':
      return { ...common, authorizedAt: at };
    case 'PaymentCaptured':
      return { ...common, completedAt: at };
    case 'PaymentFailed':
      return { ...common, failedAt: at, error: event.data.failure };
    case 'PaymentCancelled':
      return { ...common, cancelledAt: at };
    case 'PaymentExpired':
      return { ...common, expiredAt: at };
    default:
      return common;
  }
}

const PENDING: RefundState = { status: 'PENDING', settledAt: null, failure: null };

/** A refund as shown to merchants; without a `state`, as it was when it was requested. */
export function toRefundResource({ request, requestedAt }: RequestedRefund, state = PENDING) {
  const { refundId, paymentId, amountMinor, currency, reason, referenceId, estimatedCompletion } = request;
  return {
    refundId,
    paymentId,
    status: state.status,
    amount: toAmount({ amountMinor: BigInt(amountMinor), currency: currency as Currency }),
    ...(reason === null ? {} : { reason }),
    ...(referenceId === null ? {} : { referenceId }),
    estimatedCompletion,
    timeline: { createdAt: requestedAt, ...endOf(state) },
    ...(state.failure === null ? {} : { error: state.failure }),
  };
}

function endOf({ status, settledAt }: RefundState) {
  if (settledAt === null) return {};
  return status === 'COMPLETED' ? { completedAt: settledAt } : { failedAt: settledAt };
}

/** A dispute as shown to merchants, right after the event. */
export function toDisputeResource(event: StoredEvent<DisputeOpened | DisputeWon | DisputeLost>) {
  const { disputeId, paymentId, amountMinor, feeMinor, reason, evidenceDueAt } = event.data;
  const currency = event.data.currency as Currency;
  const at = event.metadata.recordedAt;
  const status: DisputeStatus = event.type === 'DisputeOpened' ? 'OPEN' : event.type === 'DisputeWon' ? 'WON' : 'LOST';
  return {
    disputeId,
    paymentId,
    status,
    amount: toAmount({ amountMinor: BigInt(amountMinor), currency }),
    fee: toAmount({ amountMinor: BigInt(feeMinor), currency }),
    reason,
    ...(evidenceDueAt === null ? {} : { evidenceDueAt }),
    timeline: timelineOf(event, at),
  };
}

function timelineOf(event: StoredEvent<DisputeOpened | DisputeWon | DisputeLost>, at: string) {
  switch (event.type) {
    case 'DisputeOpened':
      return { createdAt: at };
    case 'DisputeWon':
      return { createdAt: event.data.openedAt, wonAt: at };
    case 'DisputeLost':
      return { createdAt: event.data.openedAt, lostAt: at };
    default:
      return unreachable(event);
  }
}

function refundData(
  event: StoredEvent<RefundCompleted | RefundFailed>,
  { created: { merchantId, orderId } }: Payment,
  request: RequestedRefund | undefined,
): PublicEvent['data'] {
  if (request === undefined) return { refundId: event.data.refundId, merchantId, orderId };
  const settledAt = event.metadata.recordedAt;
  const state: RefundState =
    event.type === 'RefundCompleted'
      ? { status: 'COMPLETED', settledAt, failure: null }
      : { status: 'FAILED', settledAt, failure: event.data.failure };
  return { ...toRefundResource(request, state), merchantId, orderId };
}
