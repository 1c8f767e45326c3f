import { dueAfter, dueAtOnce, dueOn, type Wait } from '@app/kernel';
import type { DeferralReason } from './events';
import type { Deferral, Payment } from './payment';
import type { Refund } from './refunds';

/** What a payment asks the outside world for next. */
export interface Step {
  readonly operation: 'AWAIT_CUSTOMER' | 'AUTHORIZE' | 'CAPTURE' | 'VOID' | 'EXPIRE_HOLD' | 'REFUND';
  /** Until it is due. */
  readonly wait: Wait;
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
      return inTime('EXPIRE_HOLD', dueOn(Date.parse(payment.holdExpiresAt ?? payment.movedAt)));
  }
}

/** The refund's next step, or null when it is settled. */
export function nextRefundStep(refund: Refund): Step | null {
  return refund.status === 'PENDING' ? step('REFUND', refund.requestedAt, refund.deferral) : null;
}

/** When a payment that waits for its customer is looked at for the first time. */
export function firstPoll(createdAt: string, expiresAt: string): Wait {
  const createdAtMs = Date.parse(createdAt);
  return dueAfter(createdAtMs, Math.min(createdAtMs + FIRST_POLL_MS, Date.parse(expiresAt)));
}

/** Until a step that was put off falls due again. Where nothing tells by which clock, the time is taken as it stands. */
export function waitOf({ scheduledAt, dueAt }: Pick<Deferral, 'scheduledAt' | 'dueAt'>): Wait {
  const dueAtMs = Date.parse(dueAt);
  return scheduledAt === undefined ? dueOn(dueAtMs) : dueAfter(Date.parse(scheduledAt), dueAtMs);
}

/**
 * The customer's page tells when it is done; looking now and then makes up for a lost notice. Whoever puts the look off does
 * so to the end of the customer's time at most; only a gateway that can't be asked then puts it off further.
 */
function awaitCustomer(payment: Payment): Step {
  const first = firstPoll(payment.timeline.createdAt, payment.created.expiresAt);
  return putOff('AWAIT_CUSTOMER', payment.deferral) ?? inTime('AWAIT_CUSTOMER', first);
}

function step(operation: Step['operation'], since: string, deferral: Deferral | null): Step {
  return putOff(operation, deferral) ?? inTime(operation, dueAtOnce(Date.parse(since)));
}

function inTime(operation: Step['operation'], wait: Wait): Step {
  return { operation, wait, attempt: 0, inquireFirst: false };
}

/** Null where it wasn't this step that was put off. */
function putOff(operation: Step['operation'], deferral: Deferral | null): Step | null {
  if (deferral?.operation !== operation) return null;
  const { attempt, reason } = deferral;
  return { operation, wait: waitOf(deferral), attempt, inquireFirst: asksForOutcome(reason) };
}

/** Whether a step that was put off for this reason goes on with an inquiry: the gateway may have acted already. */
export function asksForOutcome(reason: DeferralReason): boolean {
  return reason === 'OUTCOME_UNKNOWN' || reason === 'GATEWAY_PENDING';
}
