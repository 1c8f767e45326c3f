import { unreachable } from '@app/event-sourcing';
import { type Currency, toAmount } from '@app/money';
import { type Payment, type PaymentRejection, refundableMinor } from '@app/payments/domain';

/**
 * Says what the payment allowed at the moment when the command was refused. Undefined if there is nothing to add to the
 * error catalogue's message.
 */
export function refusalText(code: PaymentRejection, payment: Payment | null): string | undefined {
  if (payment === null) return undefined;
  switch (code) {
    case 'INVALID_STATE':
      return stateText(payment);
    case 'CURRENCY_MISMATCH':
      return `The payment is in ${payment.created.currency}.`;
    case 'CAPTURE_AMOUNT_EXCEEDED':
      return `At most ${amountText(payment.amountMinor, payment)} can be captured of this payment.`;
    case 'REFUND_AMOUNT_EXCEEDED':
      return `At most ${amountText(refundableMinor(payment), payment)} is left to refund of this payment.`;
    case 'PAYMENT_NOT_FOUND':
    case 'IDEMPOTENCY_KEY_REUSED':
    case 'TOO_MANY_REFUNDS':
      return undefined;
    default:
      return unreachable(code);
  }
}

function amountText(amountMinor: bigint, { created }: Payment): string {
  const { value, currency } = toAmount({ amountMinor, currency: created.currency as Currency });
  return `${value} ${currency}`;
}

function stateText(payment: Payment): string {
  const { phase, status } = payment;
  switch (phase) {
    case 'AWAITING_CUSTOMER':
    case 'AUTHORIZING':
      return `The payment is ${status}: it can be cancelled.`;
    case 'AUTHORIZED':
      return `The payment is ${status}: it can be captured or cancelled.`;
    case 'CAPTURING':
      return `The payment is ${status} and being captured: it can be refunded once it is COMPLETED.`;
    case 'VOIDING':
      return `The payment is ${status} and will be ${payment.pendingOutcome.as}: nothing more can be asked of it.`;
    case 'COMPLETED':
      return `The payment is ${status}: it can be refunded.`;
    case 'FAILED':
    case 'CANCELLED':
    case 'EXPIRED':
      return `The payment is ${status}, which is final: nothing more can be asked of it.`;
    default:
      return unreachable(phase);
  }
}
