import { isoTime } from '@app/event-sourcing';
import { given, SPEC_START_MS } from '@app/event-sourcing/testing/given-when-then';
import {
  authorization,
  COMPLETED,
  create,
  createRefund,
  disputeOutcome,
  disputeWord,
  EVIDENCE_DUE_AT,
  history,
  MANUAL_AUTHORIZED,
  PAYMENT_ID,
  play,
  refundWord,
} from '@app/payments/testing/payments';
import { type PaymentCommand, paymentDecider, refundableMinor, withdrawnMinor } from './';

const payment = (...commands: readonly PaymentCommand[]) => given(paymentDecider, ...history(...commands));
const opened = (amountMinor: string, name = 'd1') => ({
  merchantId: 'm1',
  notifyUrl: 'https://shop.test/hook',
  paymentId: PAYMENT_ID,
  disputeId: `dsp_${name}`,
  disputeReference: `dp_${name}`,
  transactionId: 'txn_c',
  amountMinor,
  currency: 'EUR',
  feeMinor: '15',
  reason: 'PRODUCT_NOT_RECEIVED' as const,
  evidenceDueAt: EVIDENCE_DUE_AT,
});

describe('a dispute that the gateway reports', () => {
  it('is recorded with what was withdrawn and charged', () => {
    payment(...COMPLETED)
      .when(disputeWord(1_000n))
      .thenEvents({ type: 'DisputeOpened', data: opened('1000') });
  });

  it('is recorded once, whatever is reported of it later', () => {
    payment(...COMPLETED, disputeWord(1_000n))
      .when(disputeWord(400n, 'd1', { reason: 'GENERAL' }))
      .thenNothing();
  });

  it('is recorded for a payment that was refunded in full: the merchant pays twice', () => {
    payment(...COMPLETED, createRefund(1_000n), refundWord())
      .when(disputeWord(1_000n))
      .thenEvents({ type: 'DisputeOpened', data: opened('1000') });
  });

  it('is recorded though it withdraws more than was captured', () => {
    payment(...COMPLETED)
      .when(disputeWord(1_001n))
      .thenEvents({ type: 'DisputeOpened', data: opened('1001') });
  });

  it.each(['WON', 'LOST'] as const)('may come after another one was %s', (outcome) => {
    payment(...COMPLETED, disputeWord(1_000n), disputeOutcome(outcome))
      .when(disputeWord(1_000n, 'd2'))
      .thenEvents({ type: 'DisputeOpened', data: opened('1000', 'd2') });
  });

  it('is refused in another currency than the payment’s', () => {
    payment(...COMPLETED)
      .when(disputeWord(1_000n, 'd1', { currency: 'USD' }))
      .thenRejected('CURRENCY_MISMATCH');
  });

  it.each([
    ['is authorized', MANUAL_AUTHORIZED],
    ['is being captured', [create(), authorization()]],
  ] as const)('is not recorded while the payment %s', (_what, commands) => {
    payment(...commands)
      .when(disputeWord(1_000n))
      .thenNothing();
  });
});

describe('the outcome of a dispute', () => {
  /** Each command is a second after the one before. */
  const openedAt = isoTime(SPEC_START_MS + COMPLETED.length * 1_000);

  it.each([
    ['WON', 'DisputeWon'],
    ['LOST', 'DisputeLost'],
  ] as const)('%s is recorded with what it is about', (outcome, type) => {
    const { stored } = play([...COMPLETED, disputeWord(400n), disputeOutcome(outcome)]);
    expect(stored.at(-1)).toMatchObject({ type, data: { ...opened('400'), openedAt } });
  });

  it.each(['WON', 'LOST'] as const)('is final: nothing follows once it was %s', (outcome) => {
    const decided = payment(...COMPLETED, disputeWord(400n), disputeOutcome(outcome));
    decided.when(disputeOutcome('WON')).thenNothing();
    decided.when(disputeOutcome('LOST')).thenNothing();
    decided.when(disputeWord(400n)).thenNothing();
  });

  it('waits for the opening to be recorded', () => {
    payment(...COMPLETED)
      .when(disputeOutcome('WON'))
      .thenNothing();
  });
});

describe('what disputes leave to be refunded', () => {
  it.each<[string, readonly PaymentCommand[], readonly [withdrawn: bigint, left: bigint]]>([
    ['all of it without a dispute', [], [0n, 1_000n]],
    ['the rest, while a dispute of a part is open', [disputeWord(400n)], [400n, 600n]],
    ['the rest, once that is lost', [disputeWord(400n), disputeOutcome('LOST')], [400n, 600n]],
    ['all of it again, once that is won', [disputeWord(400n), disputeOutcome('WON')], [0n, 1_000n]],
    ['nothing, and not less, where more was withdrawn', [disputeWord(1_400n)], [1_400n, 0n]],
    ['what is left by both: a pending refund', [createRefund(500n), disputeWord(400n)], [400n, 100n]],
    ['nothing of a refunded payment', [createRefund(1_000n), refundWord(), disputeWord(1_000n)], [1_000n, 0n]],
    ['the rest of several', [disputeWord(400n), disputeWord(500n, 'd2'), disputeOutcome('WON')], [500n, 500n]],
  ])('is %s', (_what, commands, expected) => {
    const { payment: after } = play([...COMPLETED, ...commands]);
    expect([withdrawnMinor(after!), refundableMinor(after!)]).toEqual(expected);
    const ask = given(paymentDecider, ...history(...COMPLETED, ...commands));
    ask.when(createRefund(expected[1] + 1n, 'r9')).thenRejected('REFUND_AMOUNT_EXCEEDED');
  });

  it('does not touch a refund that is on its way', () => {
    const { stored } = play([...COMPLETED, createRefund(800n), disputeWord(1_000n), refundWord()]);
    expect(stored.map(({ type }) => type).slice(-3)).toEqual(['RefundRequested', 'DisputeOpened', 'RefundCompleted']);
  });
});
