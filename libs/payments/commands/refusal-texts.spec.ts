import { assert } from '@app/event-sourcing';
import { type PaymentCommand, paymentDecider, type PaymentRejection } from '@app/payments/domain';
import {
  authorization,
  cancelPayment,
  capturePayment,
  captureWord,
  COMPLETED,
  create,
  createChallenged,
  createRefund,
  DECLINED,
  expireHold,
  MANUAL_AUTHORIZED,
  play,
  refundWord,
  voidWord,
} from '@app/payments/testing/payments';
import { refusalText } from './refusal-texts';

/** The refusal and its text for a command after these. */
function told(history: readonly PaymentCommand[], command: PaymentCommand): readonly [PaymentRejection, unknown] {
  const { payment } = play(history);
  const decision = paymentDecider.decide(command, payment);
  assert(decision.kind === 'rejected', 'the command is refused');
  return [decision.rejection, refusalText(decision.rejection, payment)];
}

describe('a command that the payment does not allow', () => {
  it.each<[string, readonly PaymentCommand[], PaymentCommand]>([
    ['The payment is PROCESSING: it can be cancelled.', [createChallenged()], capturePayment(null)],
    ['The payment is PROCESSING: it can be cancelled.', [create()], createRefund(1n)],
    ['The payment is AUTHORIZED: it can be captured or cancelled.', MANUAL_AUTHORIZED, createRefund(1n)],
    [
      'The payment is AUTHORIZED and being captured: it can be refunded once it is COMPLETED.',
      [create(), authorization()],
      cancelPayment(),
    ],
    [
      'The payment is PROCESSING and will be CANCELLED: nothing more can be asked of it.',
      [create(), cancelPayment('earlier')],
      cancelPayment(),
    ],
    [
      'The payment is AUTHORIZED and will be EXPIRED: nothing more can be asked of it.',
      [...MANUAL_AUTHORIZED, expireHold()],
      capturePayment(null),
    ],
    ['The payment is COMPLETED: it can be refunded.', COMPLETED, cancelPayment()],
    [
      'The payment is FAILED, which is final: nothing more can be asked of it.',
      [create(), authorization(DECLINED)],
      createRefund(1n),
    ],
    [
      'The payment is CANCELLED, which is final: nothing more can be asked of it.',
      [create(), cancelPayment('earlier'), voidWord()],
      capturePayment(null),
    ],
  ])('is told: %s (%#)', (text, history, command) => {
    expect(told(history, command)).toEqual(['INVALID_STATE', text]);
  });
});

describe('an amount that the payment does not allow', () => {
  it.each<[string, readonly PaymentCommand[], bigint]>([
    ['10.00', COMPLETED, 1_001n],
    ['6.50', [...COMPLETED, createRefund(350n, 'r2')], 651n],
    ['10.00', [...COMPLETED, createRefund(350n, 'r2'), refundWord('r2', DECLINED)], 1_001n],
    ['0.00', [...COMPLETED, createRefund(1_000n, 'r2'), refundWord('r2')], 1n],
    ['4.00', [...MANUAL_AUTHORIZED, capturePayment(400n), captureWord()], 500n],
  ])('is told that %s EUR is left to refund', (left, history, amountMinor) => {
    const text = `At most ${left} EUR is left to refund of this payment.`;
    expect(told(history, createRefund(amountMinor))).toEqual(['REFUND_AMOUNT_EXCEEDED', text]);
  });

  it.each([
    ['10.00 EUR', 'EUR'],
    ['1000 JPY', 'JPY'],
    ['1.000 KWD', 'KWD'],
  ])('is told that %s can be captured', (amount, currency) => {
    const held = MANUAL_AUTHORIZED.map((command) =>
      command.type === 'CreatePayment' ? { ...command, payment: { ...command.payment, currency } } : command,
    );
    expect(told(held, capturePayment(1_001n, 'key', 'content', currency))).toEqual([
      'CAPTURE_AMOUNT_EXCEEDED',
      `At most ${amount} can be captured of this payment.`,
    ]);
  });

  it("is told the payment's currency where it is in another one", () => {
    const text = 'The payment is in EUR.';
    expect(told(COMPLETED, createRefund(1n, 'r1', { currency: 'USD' }))).toEqual(['CURRENCY_MISMATCH', text]);
    const capture = capturePayment(1n, 'key', 'content', 'USD');
    expect(told(MANUAL_AUTHORIZED, capture)).toEqual(['CURRENCY_MISMATCH', text]);
  });
});
