import { type StoredEvent, unreachable } from '@app/event-sourcing';
import { disputesAfter, NO_DISPUTES } from './disputes';
import type { PaymentCreated, PaymentEvent } from './events';
import type { AcceptedRequest } from './idempotency';
import {
  isCancellable,
  type OpenPayment,
  originOf,
  type Payment,
  type PaymentFacts,
  type PaymentIn,
  type PendingOutcome,
} from './payment';
import { refundsAfter } from './refunds';

/**
 * The state after the event. Total: it never rejects history. For an event that `decide` would not have allowed, what
 * the gateway did counts; what doesn't fit the phase is ignored.
 */
export function evolve(payment: Payment | null, event: StoredEvent<PaymentEvent>): Payment | null {
  if (payment === null) return event.type === 'PaymentCreated' ? begin(event) : null;
  switch (payment.phase) {
    case 'COMPLETED':
      return {
        ...payment,
        refunds: refundsAfter(payment.refunds, event),
        disputes: disputesAfter(payment.disputes, event),
      };
    case 'FAILED':
    case 'CANCELLED':
    case 'EXPIRED':
      return payment;
    default:
      return moved(payment, event);
  }
}

function begin(event: StoredEvent<PaymentCreated>): Payment {
  const { data: created } = event;
  const at = event.metadata.recordedAt;
  return {
    phase: created.nextAction === null ? 'AUTHORIZING' : 'AWAITING_CUSTOMER',
    status: 'PROCESSING',
    created,
    amountMinor: BigInt(created.amountMinor),
    createdAt: at,
    requests: [],
    movedAt: at,
    origin: originOf(event),
    retry: null,
  };
}

function moved(payment: OpenPayment, event: StoredEvent<PaymentEvent>): Payment {
  const facts = factsAfter(payment, event);
  switch (event.type) {
    case 'PaymentAuthenticated':
      return payment.phase === 'AWAITING_CUSTOMER'
        ? { ...facts, phase: 'AUTHORIZING', status: 'PROCESSING', retry: null }
        : payment;
    case 'PaymentAuthorized':
      return authorized(payment, facts, event.data.holdExpiresAt);
    case 'PaymentCaptureRequested': {
      const { transactionId, amountMinor } = event.data;
      const capture = { transactionId, amountMinor: BigInt(amountMinor) };
      return payment.phase === 'AUTHORIZED'
        ? { ...facts, phase: 'CAPTURING', status: 'AUTHORIZED', capture, retry: null }
        : { ...payment, requests: facts.requests };
    }
    case 'PaymentCaptured': {
      const { transactionId, amountMinor } = event.data;
      const capture = { transactionId, amountMinor: BigInt(amountMinor) };
      return { ...facts, phase: 'COMPLETED', status: 'COMPLETED', capture, refunds: new Map(), disputes: NO_DISPUTES };
    }
    case 'PaymentCaptureRefused':
      return voiding(payment, facts, { as: 'FAILED', failure: event.data.failure });
    case 'PaymentCancellationRequested':
      return isCancellable(payment)
        ? voiding(payment, facts, { as: 'CANCELLED' })
        : { ...payment, requests: facts.requests };
    case 'PaymentExpiryRequested':
      return isCancellable(payment) ? voiding(payment, facts, { as: 'EXPIRED' }) : payment;
    case 'GatewayStepDeferred':
      return 'retry' in payment && event.data.refundId === null ? { ...payment, retry: event.data } : payment;
    case 'PaymentFailed':
      return { ...facts, phase: 'FAILED', status: 'FAILED', failure: event.data.failure };
    case 'PaymentCancelled':
      return { ...facts, phase: 'CANCELLED', status: 'CANCELLED' };
    case 'PaymentExpired':
      return { ...facts, phase: 'EXPIRED', status: 'EXPIRED' };
    case 'PaymentCreated':
    case 'PaymentVoided':
    case 'RefundRequested':
    case 'RefundCompleted':
    case 'RefundFailed':
    case 'DisputeOpened':
    case 'DisputeWon':
    case 'DisputeLost':
      // A void is always recorded together with the event that ends the payment.
      return payment;
    default:
      return unreachable(event);
  }
}

function factsAfter(payment: PaymentFacts, event: StoredEvent<PaymentEvent>): PaymentFacts {
  const { created, amountMinor, createdAt } = payment;
  const request = requestIn(event);
  const requests = request === null ? payment.requests : [...payment.requests, request];
  return { created, amountMinor, createdAt, requests, movedAt: event.metadata.recordedAt, origin: originOf(event) };
}

/** The merchant's request that the event stores. */
function requestIn(event: StoredEvent<PaymentEvent>): AcceptedRequest | null {
  const { revision } = event;
  switch (event.type) {
    case 'PaymentCaptureRequested': {
      const { idempotency } = event.data;
      return idempotency && { type: 'CapturePayment', idempotency, revision };
    }
    case 'PaymentCancellationRequested':
      return { type: 'CancelPayment', idempotency: event.data.idempotency, revision };
    default:
      return null;
  }
}

function authorized(payment: OpenPayment, facts: PaymentFacts, holdExpiresAt: string): Payment {
  switch (payment.phase) {
    case 'AWAITING_CUSTOMER':
    case 'AUTHORIZING':
      return { ...facts, phase: 'AUTHORIZED', status: 'AUTHORIZED', holdExpiresAt };
    case 'VOIDING':
      return voiding({ ...payment, status: 'AUTHORIZED' }, facts, payment.pendingOutcome);
    case 'AUTHORIZED':
    case 'CAPTURING':
      return payment;
    default:
      return unreachable(payment);
  }
}

function voiding({ status }: OpenPayment, facts: PaymentFacts, pendingOutcome: PendingOutcome): PaymentIn<'VOIDING'> {
  return { ...facts, phase: 'VOIDING', status, pendingOutcome, retry: null };
}
