import { accepted, assert, type Decision, rejected, unreachable } from '@app/kernel';
import {
  type CreatePayment,
  type DeferStep,
  type ExpireHold,
  isSameKey,
  isSameRequest,
  type PaymentCommand,
  type PaymentRejection,
  type RecordAuthorization,
  type RecordCapture,
  type RecordChallenge,
  recordOf,
  type RecordRefund,
  type RecordVoid,
  type RequestCancellation,
  type RequestCapture,
  type RequestRefund,
} from './commands';
import type { PaymentCaptureRequested, PaymentEvent, PaymentFailed } from './events';
import { nextStep } from './next-step';
import { announcement, type Payment, refundableMinor, refundOf } from './payment';
import { MAX_REFUNDS } from './refunds';

type PaymentDecision = Decision<PaymentEvent, PaymentRejection>;

/**
 * Decides every command on a payment. A repeated command decides nothing new; a gateway's word that comes too late, or
 * for a second time, decides nothing either: only what the state still asks for moves it.
 */
export function decide(command: PaymentCommand, payment: Payment | null): PaymentDecision {
  if (command.kind === 'CreatePayment') return create(command, payment);
  if (payment === null) return rejected('PAYMENT_NOT_FOUND');
  switch (command.kind) {
    case 'RequestCapture':
      return requestCapture(command, payment);
    case 'RequestCancellation':
      return requestCancellation(command, payment);
    case 'RequestRefund':
      return requestRefund(command, payment);
    case 'RecordChallenge':
      return recordChallenge(command, payment);
    case 'RecordAuthorization':
      return recordAuthorization(command, payment);
    case 'RecordCapture':
      return recordCapture(command, payment);
    case 'RecordVoid':
      return recordVoid(command, payment);
    case 'RecordRefund':
      return recordRefund(command, payment);
    case 'ExpireHold':
      return expireHold(command, payment);
    case 'DeferStep':
      return deferStep(command, payment);
    default:
      return unreachable(command);
  }
}

function create(command: CreatePayment, payment: Payment | null): PaymentDecision {
  if (payment !== null) {
    return isSameRequest(command.identity, payment.created.idempotency)
      ? accepted()
      : rejected('IDEMPOTENCY_KEY_REUSED');
  }
  const data = { ...command.payment, idempotency: recordOf(command.identity) };
  return accepted<PaymentEvent>({ type: 'PaymentCreated', data });
}

function requestCapture(command: RequestCapture, payment: Payment): PaymentDecision {
  const earlier = payment.capture?.idempotency;
  if (earlier && isSameKey(command.identity, earlier)) {
    return isSameRequest(command.identity, earlier) ? accepted() : rejected('IDEMPOTENCY_KEY_REUSED');
  }
  if (payment.status !== 'AUTHORIZED' || payment.capture !== null || payment.intendedEnd !== null) {
    return rejected('INVALID_STATE');
  }
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
  idempotency: PaymentCaptureRequested['data']['idempotency'],
): PaymentCaptureRequested {
  const { paymentId, currency, transactionIds } = payment.created;
  const transactionId = transactionIds.capture;
  const data = { paymentId, transactionId, amountMinor: String(amountMinor), currency, idempotency };
  return { type: 'PaymentCaptureRequested', data };
}

function requestCancellation(command: RequestCancellation, payment: Payment): PaymentDecision {
  const end = payment.intendedEnd;
  if (end?.as === 'CANCELLED' && isSameKey(command.identity, end.idempotency)) {
    return isSameRequest(command.identity, end.idempotency) ? accepted() : rejected('IDEMPOTENCY_KEY_REUSED');
  }
  const open = payment.status === 'PROCESSING' || payment.status === 'AUTHORIZED';
  if (!open || payment.capture !== null || end !== null) return rejected('INVALID_STATE');
  const { paymentId } = payment.created;
  return accepted<PaymentEvent>({
    type: 'PaymentCancellationRequested',
    data: { paymentId, reason: command.reason, idempotency: recordOf(command.identity) },
  });
}

function requestRefund(command: RequestRefund, payment: Payment): PaymentDecision {
  const earlier = refundOf(payment, command.refundId);
  if (earlier !== undefined) {
    return isSameRequest(command.identity, earlier.request.idempotency)
      ? accepted()
      : rejected('IDEMPOTENCY_KEY_REUSED');
  }
  if (payment.status !== 'COMPLETED') return rejected('INVALID_STATE');
  if (command.currency !== payment.created.currency) return rejected('CURRENCY_MISMATCH');
  if (payment.refunds.count >= MAX_REFUNDS) return rejected('TOO_MANY_REFUNDS');
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

function recordChallenge(command: RecordChallenge, payment: Payment): PaymentDecision {
  if (!payment.awaitingCustomer || payment.intendedEnd !== null) return accepted();
  const { paymentId } = payment.created;
  switch (command.outcome) {
    case 'succeeded':
      return accepted<PaymentEvent>({ type: 'PaymentAuthenticated', data: { paymentId } });
    case 'failed':
      return accepted<PaymentEvent>(
        failed(payment, { code: 'AUTHENTICATION_FAILED', message: 'The customer did not pass the authentication.' }),
      );
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
  return { type: 'PaymentFailed', data: { ...announcement(payment), paymentId, failure, processorResponse } };
}

function recordAuthorization(command: RecordAuthorization, payment: Payment): PaymentDecision {
  if (nextStep(payment)?.operation !== 'AUTHORIZE') return accepted();
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
    data: { ...announcement(payment), paymentId, ...money, processorResponse, captureMethod, holdExpiresAt },
  };
}

function recordCapture(command: RecordCapture, payment: Payment): PaymentDecision {
  if (nextStep(payment)?.operation !== 'CAPTURE' || payment.capture === null) return accepted();
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
    data: { ...announcement(payment), paymentId, ...money, processorResponse },
  });
}

function recordVoid(command: RecordVoid, payment: Payment): PaymentDecision {
  if (nextStep(payment)?.operation !== 'VOID' || payment.intendedEnd === null) return accepted();
  const events: PaymentEvent[] = [];
  const { authorization, processorResponse, holdExpiresAt } = command;
  const alreadyGranted = payment.authorization.status === 'SUCCESS';
  if (!alreadyGranted && authorization !== null) events.push(authorizedEvent(payment, authorization, holdExpiresAt));
  const { paymentId, amountMinor, currency, transactionIds } = payment.created;
  if (alreadyGranted || authorization !== null) {
    const money = { transactionId: transactionIds.void, amountMinor, currency };
    events.push({ type: 'PaymentVoided', data: { paymentId, ...money, processorResponse } });
  }
  const told = { ...announcement(payment), paymentId };
  switch (payment.intendedEnd.as) {
    case 'CANCELLED':
      return accepted(...events, { type: 'PaymentCancelled', data: told });
    case 'EXPIRED':
      return accepted(...events, { type: 'PaymentExpired', data: told });
    case 'FAILED':
      return accepted(...events, failed(payment, payment.intendedEnd.failure));
    default:
      return unreachable(payment.intendedEnd);
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

function expireHold(command: ExpireHold, payment: Payment): PaymentDecision {
  const { holdExpiresAt } = payment;
  if (nextStep(payment)?.operation !== 'EXPIRE_HOLD' || holdExpiresAt === null || command.now < holdExpiresAt) {
    return accepted();
  }
  const { paymentId } = payment.created;
  return accepted<PaymentEvent>({ type: 'PaymentExpiryRequested', data: { paymentId, cause: 'HOLD_TIMEOUT' } });
}

function deferStep(command: DeferStep, payment: Payment): PaymentDecision {
  const { operation, refundId, attempt, reason, dueAt, scheduledAt } = command;
  const refund = refundId === null ? null : refundOf(payment, refundId);
  const asked = refundId === null ? nextStep(payment)?.operation === operation : refund?.status === 'PENDING';
  const alreadyPutOff = (refund ?? payment).deferral;
  if (!asked || (alreadyPutOff !== null && alreadyPutOff.attempt >= attempt)) return accepted();
  const { paymentId } = payment.created;
  const data = { paymentId, operation, refundId, attempt, reason, dueAt, scheduledAt };
  return accepted<PaymentEvent>({ type: 'GatewayStepDeferred', data });
}
