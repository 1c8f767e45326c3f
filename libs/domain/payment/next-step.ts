import type { DeferralReason } from './events';
import type { Deferral, Payment } from './payment';
import type { Refund } from './refunds';

/** What a payment asks the outside world for next; `dueAt` is when (RFC 3339 UTC). */
export interface Step {
  readonly operation: 'AWAIT_CUSTOMER' | 'AUTHORIZE' | 'CAPTURE' | 'VOID' | 'EXPIRE_HOLD' | 'REFUND';
  readonly dueAt: string;
  /** How often it has been put off so far. */
  readonly attempt: number;
  /** The gateway may have acted already: ask before acting. */
  readonly inquireFirst: boolean;
}

/** How long after its creation a payment that waits for its customer is looked at for the first time. */
const FIRST_POLL_MS = 20_000;

/** The payment's own next step (refunds have theirs), or null when it has come to rest. */
export function nextStep(payment: Payment): Step | null {
  switch (payment.status) {
    case 'COMPLETED':
    case 'FAILED':
    case 'CANCELLED':
    case 'EXPIRED':
      return null;
    case 'PROCESSING':
      if (payment.intendedEnd !== null) return step('VOID', payment.movedAt, payment.deferral);
      if (payment.awaitingCustomer) return awaitCustomer(payment);
      return step('AUTHORIZE', payment.movedAt, payment.deferral);
    case 'AUTHORIZED':
      if (payment.intendedEnd !== null) return step('VOID', payment.movedAt, payment.deferral);
      if (payment.capture !== null) return step('CAPTURE', payment.movedAt, payment.deferral);
      return step('EXPIRE_HOLD', payment.holdExpiresAt ?? payment.movedAt, null);
  }
}

/** The refund's next step, or null when it is settled. */
export function nextRefundStep(refund: Refund): Step | null {
  return refund.status === 'PENDING' ? step('REFUND', refund.requestedAt, refund.deferral) : null;
}

/** When a payment that waits for its customer is looked at for the first time. */
export function firstPollAt(createdAt: string, expiresAt: string): string {
  const poll = new Date(Date.parse(createdAt) + FIRST_POLL_MS).toISOString();
  return poll < expiresAt ? poll : expiresAt;
}

/**
 * The customer's page tells when it is done; looking now and then makes up for a lost notice. Whoever puts the look off does
 * so to the end of the customer's time at most; only a gateway that can't be asked then puts it off further.
 */
function awaitCustomer(payment: Payment): Step {
  const firstPoll = firstPollAt(payment.timeline.createdAt, payment.created.expiresAt);
  return step('AWAIT_CUSTOMER', firstPoll, payment.deferral);
}

function step(operation: Step['operation'], since: string, deferral: Deferral | null): Step {
  if (deferral?.operation !== operation) return { operation, dueAt: since, attempt: 0, inquireFirst: false };
  const inquireFirst = asksForOutcome(deferral.reason);
  return { operation, dueAt: deferral.dueAt, attempt: deferral.attempt, inquireFirst };
}

/** Whether a step that was put off for this reason goes on with an inquiry: the gateway may have acted already. */
export function asksForOutcome(reason: DeferralReason): boolean {
  return reason === 'OUTCOME_UNKNOWN' || reason === 'GATEWAY_PENDING';
}
