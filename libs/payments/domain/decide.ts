import { accepted, assert, type Decision, rejected, unreachable } from '@app/event-sourcing';
import { type IdempotencyRecord, recordOf } from '@app/idempotency/domain/repetition';
import type {
  CancelPayment,
  CapturePayment,
  CreatePayment,
  CreateRefund,
  ExpireHold,
  PaymentCommand,
  PaymentRejection,
  RecordAuthentication,
  RecordAuthorization,
  RecordCapture,
  RecordDispute,
  RecordDisputeOutcome,
  RecordRefund,
  RecordVoid,
  ScheduleRetry,
} from './commands';
import type { PaymentCaptureRequested, PaymentEvent, PaymentFailed } from './events';
import { failureOf } from './failures';
import { paymentNoveltyOf } from './idempotency';
import { nextRefundStep, nextStep } from './next-step';
import { disputeOf, isCancellable, type Payment, refundableMinor, refundOf, webhookTargetOf } from './payment';
import { MAX_REFUNDS } from './refunds';

type PaymentDecision = Decision<PaymentEvent, PaymentRejection>;

/**
 * Decides every command on a payment. A repeated command decides nothing new. Neither does a gateway answer that
 * arrives too late or twice: only what the current phase waits for moves the payment.
 */
export function decide(command: PaymentCommand, payment: Payment | null): PaymentDecision {
  if ('identity' in command) {
    const novelty = paymentNoveltyOf(command, payment);
    if (novelty !== 'NEW') return novelty === 'REPEATED' ? accepted() : rejected('IDEMPOTENCY_KEY_REUSED');
  }
  if (command.type === 'CreatePayment') return create(command);
  if (payment === null) return rejected('PAYMENT_NOT_FOUND');
  switch (command.type) {
    case 'CapturePayment':
      return capture(command, payment);
    case 'CancelPayment':
      return cancel(command, payment);
    case 'CreateRefund':
      return createRefund(command, payment);
    case 'RecordAuthentication':
      return recordAuthentication(command, payment);
    case 'RecordAuthorization':
      return recordAuthorization(command, payment);
    case 'RecordCapture':
      return recordCapture(command, payment);
    case 'RecordVoid':
      return recordVoid(command, payment);
    case 'RecordRefund':
      return recordRefund(command, payment);
    case 'RecordDispute':
      return recordDispute(command, payment);
    case 'RecordDisputeOutcome':
      return recordDisputeOutcome(command, payment);
    case 'ExpireHold':
      return expireHold(command, payment);
    case 'ScheduleRetry':
      return scheduleRetry(command, payment);
    default:
      return unreachable(command);
  }
}

function create(command: CreatePayment): PaymentDecision {
  const data = { ...command.payment, idempotency: recordOf(command.identity) };
  return accepted<PaymentEvent>({ type: 'PaymentCreated', data });
}

function capture(command: CapturePayment, payment: Payment): PaymentDecision {
  if (payment.phase !== 'AUTHORIZED') return rejected('INVALID_STATE');
  if (command.amount !== null && command.amount.currency !== payment.created.currency) {
    return rejected('CURRENCY_MISMATCH');
  }
  const amountMinor = command.amount?.amountMinor ?? payment.amountMinor;
  if (amountMinor > payment.amountMinor) return rejected('CAPTURE_AMOUNT_EXCEEDED');
  return accepted<PaymentEvent>(captureRequested(payment, amountMinor, recordOf(command.identity)));
}

function captureRequested(
  payment: Payment,
  amountMinor: bigint,
  idempotency: IdempotencyRecord | null,
): PaymentCaptureRequested {
  const { paymentId, currency, transactionIds } = payment.created;
  const transactionId = transactionIds.capture;
  const data = { paymentId, transactionId, amountMinor: String(amountMinor), currency, idempotency };
  return { type: 'PaymentCaptureRequested', data };
}

function cancel(command: CancelPayment, payment: Payment): PaymentDecision {
  if (!isCancellable(payment)) return rejected('INVALID_STATE');
  const { paymentId } = payment.created;
  return accepted<PaymentEvent>({
    type: 'PaymentCancellationRequested',
    data: { paymentId, reason: command.reason, idempotency: recordOf(command.identity) },
  });
}

function createRefund(command: CreateRefund, payment: Payment): PaymentDecision {
  if (payment.phase !== 'COMPLETED') return rejected('INVALID_STATE');
  if (command.currency !== payment.created.currency) return rejected('CURRENCY_MISMATCH');
  if (payment.refunds.size >= MAX_REFUNDS) return rejected('TOO_MANY_REFUNDS');
  if (command.amountMinor > refundableMinor(payment)) return rejected('REFUND_AMOUNT_EXCEEDED');
  const { refundId, transactionId, currency, reason, referenceId, estimatedCompletion } = command;
  return accepted<PaymentEvent>({
    type: 'RefundRequested',
    data: {
      paymentId: payment.created.paymentId,
      refundId,
      transactionId,
      amountMinor: String(command.amountMinor),
      currency,
      reason,
      referenceId,
      estimatedCompletion,
      merchantId: payment.created.merchantId,
      notifyUrl: command.notifyUrl ?? payment.created.notifyUrl,
      idempotency: recordOf(command.identity),
    },
  });
}

function recordAuthentication(command: RecordAuthentication, payment: Payment): PaymentDecision {
  if (payment.phase !== 'AWAITING_CUSTOMER') return accepted();
  const { paymentId } = payment.created;
  switch (command.outcome) {
    case 'succeeded':
      return accepted<PaymentEvent>({ type: 'PaymentAuthenticated', data: { paymentId } });
    case 'failed':
      return accepted<PaymentEvent>(failed(payment, failureOf('AUTHENTICATION_FAILED')));
    case 'expired':
      return accepted<PaymentEvent>({ type: 'PaymentExpiryRequested', data: { paymentId, cause: 'CUSTOMER_TIMEOUT' } });
    default:
      return unreachable(command.outcome);
  }
}

function failed(
  payment: Payment,
  failure: PaymentFailed['data']['failure'],
  processorResponse: PaymentFailed['data']['processorResponse'] = null,
): PaymentFailed {
  const { paymentId } = payment.created;
  return { type: 'PaymentFailed', data: { ...webhookTargetOf(payment), paymentId, failure, processorResponse } };
}

function recordAuthorization(command: RecordAuthorization, payment: Payment): PaymentDecision {
  if (payment.phase !== 'AUTHORIZING') return accepted();
  const { verdict, holdExpiresAt } = command;
  if (verdict.kind === 'declined') {
    return accepted<PaymentEvent>(failed(payment, verdict.failure, verdict.processorResponse));
  }
  const authorized = authorizedEvent(payment, verdict.processorResponse, holdExpiresAt);
  if (payment.created.captureMethod === 'MANUAL') return accepted<PaymentEvent>(authorized);
  return accepted<PaymentEvent>(authorized, captureRequested(payment, payment.amountMinor, null));
}

function authorizedEvent(
  payment: Payment,
  processorResponse: { readonly code: string; readonly message: string },
  holdExpiresAt: string,
): PaymentEvent {
  const { paymentId, amountMinor, currency, transactionIds, captureMethod } = payment.created;
  const money = { transactionId: transactionIds.authorization, amountMinor, currency };
  return {
    type: 'PaymentAuthorized',
    data: { ...webhookTargetOf(payment), paymentId, ...money, processorResponse, captureMethod, holdExpiresAt },
  };
}

function recordCapture(command: RecordCapture, payment: Payment): PaymentDecision {
  if (payment.phase !== 'CAPTURING') return accepted();
  const { paymentId, currency } = payment.created;
  const { transactionId, amountMinor } = payment.capture;
  const { verdict, feeMinor } = command;
  const { processorResponse } = verdict;
  if (verdict.kind === 'declined') {
    const data = { paymentId, transactionId, failure: verdict.failure, processorResponse };
    return accepted<PaymentEvent>({ type: 'PaymentCaptureRefused', data });
  }
  assert(feeMinor >= 0n && feeMinor <= amountMinor, 'a fee is a part of the captured amount');
  const money = { transactionId, amountMinor: String(amountMinor), currency, feeMinor: String(feeMinor) };
  return accepted<PaymentEvent>({
    type: 'PaymentCaptured',
    data: { ...webhookTargetOf(payment), paymentId, ...money, processorResponse },
  });
}

function recordVoid(command: RecordVoid, payment: Payment): PaymentDecision {
  if (payment.phase !== 'VOIDING') return accepted();
  const events: PaymentEvent[] = [];
  const { authorization, processorResponse, holdExpiresAt } = command;
  const isHeld = payment.status === 'AUTHORIZED';
  if (!isHeld && authorization !== null) events.push(authorizedEvent(payment, authorization, holdExpiresAt));
  const { paymentId, amountMinor, currency, transactionIds } = payment.created;
  if (isHeld || authorization !== null) {
    const money = { transactionId: transactionIds.void, amountMinor, currency };
    events.push({ type: 'PaymentVoided', data: { paymentId, ...money, processorResponse } });
  }
  const data = { ...webhookTargetOf(payment), paymentId };
  switch (payment.pendingOutcome.as) {
    case 'CANCELLED':
      return accepted(...events, { type: 'PaymentCancelled', data });
    case 'EXPIRED':
      return accepted(...events, { type: 'PaymentExpired', data });
    case 'FAILED':
      return accepted(...events, failed(payment, payment.pendingOutcome.failure));
    default:
      return unreachable(payment.pendingOutcome);
  }
}

function recordRefund(command: RecordRefund, payment: Payment): PaymentDecision {
  const refund = refundOf(payment, command.refundId);
  if (refund?.status !== 'PENDING') return accepted();
  const { paymentId, refundId, transactionId, amountMinor, currency, merchantId, notifyUrl } = refund.request;
  const told = { merchantId, notifyUrl, paymentId, refundId, transactionId, amountMinor, currency };
  const { verdict } = command;
  const { processorResponse } = verdict;
  return verdict.kind === 'approved'
    ? accepted<PaymentEvent>({ type: 'RefundCompleted', data: { ...told, processorResponse } })
    : accepted<PaymentEvent>({ type: 'RefundFailed', data: { ...told, failure: verdict.failure, processorResponse } });
}

/** The gateway has withdrawn the money already, so its word is recorded even where more is withdrawn than is left. */
function recordDispute(command: RecordDispute, payment: Payment): PaymentDecision {
  if (payment.phase !== 'COMPLETED' || disputeOf(payment, command.disputeId) !== undefined) return accepted();
  const { disputeId, disputeReference, amountMinor, currency, feeMinor, reason, evidenceDueAt } = command;
  if (currency !== payment.created.currency) return rejected('CURRENCY_MISMATCH');
  assert(amountMinor > 0n && feeMinor >= 0n, 'a dispute withdraws money');
  const { paymentId } = payment.created;
  const { transactionId } = payment.capture;
  const money = { amountMinor: String(amountMinor), currency, feeMinor: String(feeMinor) };
  const facts = { paymentId, disputeId, disputeReference, transactionId, ...money, reason, evidenceDueAt };
  return accepted<PaymentEvent>({ type: 'DisputeOpened', data: { ...webhookTargetOf(payment), ...facts } });
}

function recordDisputeOutcome({ disputeId, outcome }: RecordDisputeOutcome, payment: Payment): PaymentDecision {
  const dispute = disputeOf(payment, disputeId);
  if (dispute?.status !== 'OPEN') return accepted();
  const data = { ...dispute.opening, openedAt: dispute.openedAt };
  return accepted<PaymentEvent>(outcome === 'WON' ? { type: 'DisputeWon', data } : { type: 'DisputeLost', data });
}

function expireHold(command: ExpireHold, payment: Payment): PaymentDecision {
  if (payment.phase !== 'AUTHORIZED' || command.now < payment.holdExpiresAt) return accepted();
  const { paymentId } = payment.created;
  return accepted<PaymentEvent>({ type: 'PaymentExpiryRequested', data: { paymentId, cause: 'HOLD_TIMEOUT' } });
}

function scheduleRetry(command: ScheduleRetry, payment: Payment): PaymentDecision {
  const { operation, refundId, attempt, reason, dueAt, scheduledAt } = command;
  const refund = refundId === null ? undefined : refundOf(payment, refundId);
  const step = refundId === null ? nextStep(payment) : refund === undefined ? null : nextRefundStep(refund);
  if (step?.operation !== operation || step.attempt >= attempt) return accepted();
  const { paymentId } = payment.created;
  const data = { paymentId, operation, refundId, attempt, reason, dueAt, scheduledAt };
  return accepted<PaymentEvent>({ type: 'GatewayStepDeferred', data });
}
