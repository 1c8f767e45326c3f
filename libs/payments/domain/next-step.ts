import { dueAfter, dueAtOnce, dueOn, unreachable, type Wait } from '@app/event-sourcing';
import type { RetryReason } from './events';
import type { Payment, PaymentIn, Retry } from './payment';
import type { Refund } from './refunds';

/** What a payment asks of the gateway next. */
export interface Step {
  readonly operation: 'AWAIT_CUSTOMER' | 'AUTHORIZE' | 'CAPTURE' | 'VOID' | 'EXPIRE_HOLD' | 'REFUND';
  /** The wait until the step is due. */
  readonly wait: Wait;
  /** The number of retries scheduled so far. */
  readonly attempt: number;
  /** The gateway may have acted already: inquire before acting. */
  readonly inquireFirst: boolean;
}

/** The first poll of a payment that awaits its customer, counted from its creation. */
const FIRST_POLL_MS = 20_000;

/** The payment's own next step (refunds have their own), or null if there is none. */
export function nextStep(payment: Payment): Step | null {
  switch (payment.phase) {
    case 'AWAITING_CUSTOMER':
      return awaitCustomer(payment);
    case 'AUTHORIZING':
      return step('AUTHORIZE', payment.movedAt, payment.retry);
    case 'AUTHORIZED':
      return firstTry('EXPIRE_HOLD', dueOn(Date.parse(payment.holdExpiresAt)));
    case 'CAPTURING':
      return step('CAPTURE', payment.movedAt, payment.retry);
    case 'VOIDING':
      return step('VOID', payment.movedAt, payment.retry);
    case 'COMPLETED':
    case 'FAILED':
    case 'CANCELLED':
    case 'EXPIRED':
      return null;
    default:
      return unreachable(payment);
  }
}

/** The refund's next step, or null if it is settled. */
export function nextRefundStep(refund: Refund): Step | null {
  return refund.status === 'PENDING' ? step('REFUND', refund.requestedAt, refund.retry) : null;
}

/** The wait until the first poll of a payment that awaits its customer. */
export function firstPoll(createdAt: string, expiresAt: string): Wait {
  const createdAtMs = Date.parse(createdAt);
  return dueAfter(createdAtMs, Math.min(createdAtMs + FIRST_POLL_MS, Date.parse(expiresAt)));
}

/** The wait until a retry is due. Without a recorded clock reading, `dueAt` is taken as it is. */
export function waitOf({ scheduledAt, dueAt }: Pick<Retry, 'scheduledAt' | 'dueAt'>): Wait {
  const dueAtMs = Date.parse(dueAt);
  return scheduledAt === undefined ? dueOn(dueAtMs) : dueAfter(Date.parse(scheduledAt), dueAtMs);
}

/**
 * The gateway's callback says when the customer has finished; polling makes up for a lost callback. Retries are
 * scheduled up to the end of the customer's time; only an unreachable gateway delays them further.
 */
function awaitCustomer(payment: PaymentIn<'AWAITING_CUSTOMER'>): Step {
  const first = firstPoll(payment.createdAt, payment.created.expiresAt);
  return retried('AWAIT_CUSTOMER', payment.retry) ?? firstTry('AWAIT_CUSTOMER', first);
}

function step(operation: Step['operation'], since: string, retry: Retry | null): Step {
  return retried(operation, retry) ?? firstTry(operation, dueAtOnce(Date.parse(since)));
}

function firstTry(operation: Step['operation'], wait: Wait): Step {
  return { operation, wait, attempt: 0, inquireFirst: false };
}

/** Null if the retry belongs to another step. */
function retried(operation: Step['operation'], retry: Retry | null): Step | null {
  if (retry?.operation !== operation) return null;
  const { attempt, reason } = retry;
  return { operation, wait: waitOf(retry), attempt, inquireFirst: asksForOutcome(reason) };
}

/** Whether a retry for this reason starts with an inquiry, because the gateway may have acted already. */
export function asksForOutcome(reason: RetryReason): boolean {
  return reason === 'OUTCOME_UNKNOWN' || reason === 'GATEWAY_PENDING';
}
