import type { PaymentCommand, PaymentEvent } from '@app/payments/domain';
import {
  authorization,
  captureWord,
  challenge,
  COMPLETED,
  create,
  createChallenged,
  createManual,
  DECLINED,
  scheduleRetry,
  expireHold,
  history,
  play,
  refundWord,
  cancelPayment,
  capturePayment,
  createRefund,
  disputeOutcome,
  disputeWord,
  voidWord,
} from '@app/payments/testing/payments';
import { type Balances, balancedPosting, type Entry, NO_BALANCES, post, postingOf, trialBalance } from './';

const entry = (account: Entry['account'], amountMinor: bigint): Entry => ({ account, amountMinor });

/** The last event that the commands lead to. */
const lastOf = (...commands: readonly PaymentCommand[]) => history(...commands).at(-1)!;

describe('a posting', () => {
  it('is of entries that sum to zero', () => {
    const entries = [entry('gatewayReceivable', 10n), entry('merchantPayable', -7n), entry('feesEarned', -3n)];
    expect(balancedPosting('m1', 'EUR', entries)).toEqual({ merchantId: 'm1', currency: 'EUR', entries });
  });

  it('leaves entries of nothing out', () => {
    const moving = [entry('gatewayReceivable', 1n), entry('merchantPayable', -1n)];
    expect(balancedPosting('m1', 'EUR', [...moving, entry('feesEarned', 0n)]).entries).toEqual(moving);
  });

  it.each<[string, readonly Entry[]]>([
    ['does not balance', [entry('gatewayReceivable', 10n), entry('merchantPayable', -9n)]],
    ['has one side only', [entry('gatewayReceivable', 10n)]],
    ['has both on one side', [entry('gatewayReceivable', 10n), entry('merchantPayable', 10n)]],
    [
      'is a minor unit out of more than a floating point number can tell',
      [entry('gatewayReceivable', 2n ** 53n + 1n), entry('merchantPayable', -(2n ** 53n))],
    ],
    ['has no entries', []],
    ['moves nothing', [entry('gatewayReceivable', 0n), entry('merchantPayable', 0n)]],
  ])('can not be made where it %s', (_what, entries) => {
    expect(() => balancedPosting('m1', 'EUR', entries)).toThrow('a posting for m1 in EUR');
  });

  it('can not be changed once it is made', () => {
    const posting = balancedPosting('m1', 'EUR', [entry('gatewayReceivable', 1n), entry('merchantPayable', -1n)]);
    expect(() => (posting.entries as Entry[]).push(entry('feesEarned', 1n))).toThrow(TypeError);
    expect(() => Object.assign(posting, { entries: [] })).toThrow(TypeError);
  });
});

describe('what an event does to the accounts', () => {
  const refunded = [...COMPLETED, createRefund(300n)];

  it('a capture: the gateway owes the amount, to the merchant and, for the fee, to the service', () => {
    expect(postingOf(lastOf(create(), authorization(), captureWord(undefined, 29n)))).toEqual({
      merchantId: 'm1',
      currency: 'EUR',
      entries: [entry('gatewayReceivable', 1_000n), entry('merchantPayable', -971n), entry('feesEarned', -29n)],
    });
  });

  it('a capture of less than what was authorized: what was captured', () => {
    const captured = [createManual(), authorization(), capturePayment(400n), captureWord(undefined, 0n)];
    const entries = [entry('gatewayReceivable', 400n), entry('merchantPayable', -400n)];
    expect(postingOf(lastOf(...captured))?.entries).toEqual(entries);
  });

  it('a capture that the fee takes as a whole: nothing is the merchant’s', () => {
    const captured = lastOf(create(), authorization(), captureWord(undefined, 1_000n));
    expect(postingOf(captured)?.entries).toEqual([entry('gatewayReceivable', 1_000n), entry('feesEarned', -1_000n)]);
  });

  it('a refund that was asked for: its amount is reserved out of what is the merchant’s', () => {
    expect(postingOf(lastOf(...refunded))).toEqual({
      merchantId: 'm1',
      currency: 'EUR',
      entries: [entry('merchantPayable', 300n), entry('refundsPending', -300n)],
    });
  });

  it('a refund that was completed: the gateway owes that much less', () => {
    const entries = [entry('refundsPending', 300n), entry('gatewayReceivable', -300n)];
    expect(postingOf(lastOf(...refunded, refundWord()))?.entries).toEqual(entries);
  });

  it('a refund that failed: its amount is the merchant’s again', () => {
    const entries = [entry('refundsPending', 300n), entry('merchantPayable', -300n)];
    expect(postingOf(lastOf(...refunded, refundWord('r1', DECLINED)))?.entries).toEqual(entries);
  });

  it('a dispute: the gateway takes the amount and its fee, and the merchant bears both', () => {
    const entries = [entry('merchantPayable', 415n), entry('chargebacks', -415n)];
    expect(postingOf(lastOf(...COMPLETED, disputeWord(400n)))).toEqual({ merchantId: 'm1', currency: 'EUR', entries });
  });

  it('a dispute that was won: the gateway returns the amount, but not the fee', () => {
    const entries = [entry('chargebacks', 400n), entry('merchantPayable', -400n)];
    expect(postingOf(lastOf(...COMPLETED, disputeWord(400n), disputeOutcome('WON')))?.entries).toEqual(entries);
  });

  it('a dispute that was lost: nothing more', () => {
    expect(postingOf(lastOf(...COMPLETED, disputeWord(400n), disputeOutcome('LOST')))).toBeNull();
  });

  it.each([
    ['a payment that is created, authorized and to be captured', [create(), authorization()]],
    ['a challenge that was passed', [createChallenged(), challenge('succeeded')]],
    ['a cancellation with its void', [createManual(), authorization(), cancelPayment(), voidWord()]],
    ['a refused capture', [create(), authorization(), captureWord(DECLINED), voidWord()]],
    ['an expired hold', [createManual(), authorization(), expireHold(), voidWord()]],
    ['a step that was put off', [create(), scheduleRetry()]],
  ] as const)('nothing: %s', (_what, commands) => {
    for (const event of history(...commands)) expect(postingOf(event)).toBeNull();
  });
});

describe('an event that makes no sense', () => {
  const captured = lastOf(...COMPLETED) as Extract<PaymentEvent, { type: 'PaymentCaptured' }>;

  it.each([
    ['no fee', { feeMinor: undefined }],
    ['an empty fee', { feeMinor: '' }],
    ['a negative fee', { feeMinor: '-1' }],
    ['a fee above its amount', { feeMinor: '1001' }],
    ['an amount with decimals', { amountMinor: '10.00' }],
    ['an amount in hexadecimal digits', { amountMinor: '0x10' }],
    ['an amount of nothing', { amountMinor: '0', feeMinor: '0' }],
  ])('(a capture with %s) is never posted', (_what, change) => {
    const event = { ...captured, data: { ...captured.data, ...change } } as PaymentEvent;
    expect(() => postingOf(event)).toThrow();
  });

  it('of a type that nobody knows is never passed over', () => {
    expect(() => postingOf({ type: 'PaymentChargedBack', data: {} } as unknown as PaymentEvent)).toThrow('Unhandled');
  });
});

describe('balances', () => {
  const after = (...commands: readonly PaymentCommand[]): Balances =>
    play(commands)
      .stored.map(postingOf)
      .reduce<Balances>((balances, posting) => (posting === null ? balances : post(balances, posting)), NO_BALANCES);

  it('follow a payment with its refunds from beginning to end', () => {
    const paid = [create(), authorization(), captureWord(undefined, 29n)];
    expect(after(create(), authorization())).toEqual(NO_BALANCES);
    expect(after(...paid)).toEqual({
      gatewayReceivable: 1_000n,
      merchantPayable: -971n,
      refundsPending: 0n,
      feesEarned: -29n,
      chargebacks: 0n,
    });
    const asked = [...paid, createRefund(300n), createRefund(200n, 'r2')];
    expect(after(...asked)).toMatchObject({ merchantPayable: -471n, refundsPending: -500n });
    expect(after(...asked, refundWord(), refundWord('r2', DECLINED))).toEqual({
      gatewayReceivable: 700n,
      merchantPayable: -671n,
      refundsPending: 0n,
      feesEarned: -29n,
      chargebacks: 0n,
    });
  });

  it('leave a merchant owing the fee when all is refunded', () => {
    const all = [create(), authorization(), captureWord(undefined, 29n), createRefund(1_000n), refundWord()];
    expect(after(...all)).toEqual({
      gatewayReceivable: 0n,
      merchantPayable: 29n,
      refundsPending: 0n,
      feesEarned: -29n,
      chargebacks: 0n,
    });
  });

  it('leave a merchant owing what is disputed after it was refunded, until the dispute is won', () => {
    const refundedAll = [...COMPLETED, createRefund(1_000n), refundWord()];
    const disputed = [...refundedAll, disputeWord(1_000n)];
    expect(after(...disputed)).toMatchObject({ gatewayReceivable: 0n, merchantPayable: 1_015n, chargebacks: -1_015n });
    expect(after(...disputed, disputeOutcome('LOST'))).toEqual(after(...disputed));
    expect(after(...disputed, disputeOutcome('WON'))).toMatchObject({ merchantPayable: 15n, chargebacks: -15n });
  });

  it('are on trial: one account that was changed alone is found', () => {
    const balances = after(...COMPLETED);
    expect(trialBalance(balances)).toBe(0n);
    expect(trialBalance({ ...balances, refundsPending: balances.refundsPending + 1n })).toBe(1n);
  });
});
