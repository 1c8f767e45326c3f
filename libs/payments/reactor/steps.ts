import { AssertionFailedError, isoTime, unreachable } from '@app/event-sourcing';
import { type FeeSchedule, feeOf } from '@app/merchants/domain';
import type { Currency } from '@app/money';
import type { Payment, PaymentIn, Refund, Step } from '@app/payments/domain';
import {
  call,
  type GatewayCallDependencies,
  holdExpiresAt,
  type NextCommand,
  requestOf,
  transact,
} from './gateway-calls';

export interface StepDependencies extends GatewayCallDependencies {
  /** The merchant's current fee schedule. Throws for a merchant that this process doesn't know yet. */
  readonly feeScheduleOf: (merchantId: string) => FeeSchedule;
  /** Called before an authorization or capture. @throws DamagedHistoryError if the merchant's stream can't be trusted. */
  readonly checkMerchant: (merchantId: string) => void;
}

/** Performs the payment's next step and returns the command that records the outcome. */
export async function performStep(
  deps: StepDependencies,
  payment: Payment,
  step: Step,
  abort: AbortSignal,
): Promise<NextCommand> {
  switch (payment.phase) {
    case 'AWAITING_CUSTOMER':
      return lookForCustomer(deps, payment, abort);
    case 'AUTHORIZING':
      return authorize(deps, payment, step, abort);
    case 'AUTHORIZED':
      return { command: { type: 'ExpireHold', now: isoTime(deps.clock.settledMs()) } };
    case 'CAPTURING':
      return capture(deps, payment, step, abort);
    case 'VOIDING':
      return closeDown(deps, payment, step, abort);
    case 'COMPLETED':
    case 'FAILED':
    case 'CANCELLED':
    case 'EXPIRED':
      throw new AssertionFailedError('A payment that has ended asks for no step');
    default:
      return unreachable(payment);
  }
}

export async function performRefund(
  deps: GatewayCallDependencies,
  payment: Payment,
  refund: Refund,
  step: Step,
  abort: AbortSignal,
): Promise<NextCommand> {
  const { refundId, transactionId } = refund.request;
  const request = requestOf(payment, transactionId, refund.amountMinor);
  const called = await transact(deps, step, transactionId, abort, (signal) => deps.gateway.refund(request, signal));
  if ('retry' in called) return called;
  return { command: { type: 'RecordRefund', refundId, verdict: called.answer } };
}

async function lookForCustomer(
  deps: GatewayCallDependencies,
  payment: Payment,
  abort: AbortSignal,
): Promise<NextCommand> {
  const { gatewayReference, expiresAt } = payment.created;
  const called = await call(deps, 'AWAIT_CUSTOMER', abort, (signal) =>
    deps.gateway.challengeState(gatewayReference, signal),
  );
  if ('retry' in called) return called;
  if (called.answer !== 'pending') return { command: { type: 'RecordAuthentication', outcome: called.answer } };
  const timeIsUp = deps.clock.settledMs() >= Date.parse(expiresAt);
  return timeIsUp ? { command: { type: 'RecordAuthentication', outcome: 'expired' } } : { retry: 'CUSTOMER_PENDING' };
}

async function authorize(
  deps: StepDependencies,
  payment: Payment,
  step: Step,
  abort: AbortSignal,
): Promise<NextCommand> {
  deps.checkMerchant(payment.created.merchantId);
  const reference = payment.created.transactionIds.authorization;
  const request = requestOf(payment, reference, payment.amountMinor);
  const called = await transact(deps, step, reference, abort, (signal) => deps.gateway.authorize(request, signal));
  if ('retry' in called) return called;
  const expiresAt = holdExpiresAt(deps.clock);
  return { command: { type: 'RecordAuthorization', verdict: called.answer, holdExpiresAt: expiresAt } };
}

async function capture(
  deps: StepDependencies,
  payment: PaymentIn<'CAPTURING'>,
  step: Step,
  abort: AbortSignal,
): Promise<NextCommand> {
  deps.checkMerchant(payment.created.merchantId);
  const { transactionId, amountMinor } = payment.capture;
  const request = requestOf(payment, transactionId, amountMinor);
  const called = await transact(deps, step, transactionId, abort, (signal) => deps.gateway.capture(request, signal));
  if ('retry' in called) return called;
  const verdict = called.answer;
  const feeMinor = verdict.kind === 'approved' ? feeNow(deps, payment, amountMinor) : 0n;
  return { command: { type: 'RecordCapture', verdict, feeMinor } };
}

/** Uses the schedule in force when the capture is recorded, however long the gateway's answer took. */
function feeNow(deps: StepDependencies, payment: Payment, amountMinor: bigint): bigint {
  const { merchantId, currency } = payment.created;
  return feeOf(amountMinor, currency as Currency, deps.feeScheduleOf(merchantId));
}

/**
 * Ends a payment at the gateway. The void comes first: after it no authorization can be granted any more, so the answer
 * of the following inquiry about one that was in flight is final.
 */
async function closeDown(
  deps: GatewayCallDependencies,
  payment: Payment,
  step: Step,
  abort: AbortSignal,
): Promise<NextCommand> {
  const { authorization: authorizationId, void: voidId } = payment.created.transactionIds;
  const request = requestOf(payment, voidId, payment.amountMinor);
  const voided = await transact(deps, step, voidId, abort, (signal) => deps.gateway.void(request, signal));
  if ('retry' in voided) return voided;
  if (voided.answer.kind === 'declined') {
    deps.logger.error('the gateway refused to void a payment', { paymentId: payment.created.paymentId });
    return { retry: 'GATEWAY_PENDING' };
  }
  const { processorResponse } = voided.answer;
  const found = await call(deps, 'INQUIRE', abort, (signal) => deps.gateway.inquire(authorizationId, signal));
  if ('retry' in found) return found;
  // Still undecided at the gateway: it may turn out to have been granted before the void.
  if (found.answer.kind === 'pending') return { retry: 'GATEWAY_PENDING' };
  const authorization = found.answer.kind === 'approved' ? found.answer.processorResponse : null;
  const expiresAt = holdExpiresAt(deps.clock);
  return { command: { type: 'RecordVoid', processorResponse, authorization, holdExpiresAt: expiresAt } };
}
