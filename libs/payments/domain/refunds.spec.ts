import { asStored } from '@app/event-sourcing/testing/given-when-then';
import { COMPLETED, createRefund, history, PAYMENT_ID, refundSequences, play } from '@app/payments/testing/payments';
import * as fc from 'fast-check';
import {
  MAX_REFUNDS,
  type Payment,
  paymentDecider,
  type PaymentEvent,
  refundableMinor,
  refundedMinor,
  refundOf,
  refundsOf,
  withdrawnMinor,
} from './';

const refundIdOf = (n: number) => `ref_${String(n).padStart(4, '0')}`;

const common = (n: number) =>
  ({
    paymentId: PAYMENT_ID,
    refundId: refundIdOf(n),
    transactionId: `txn_${n}`,
    amountMinor: '1',
    currency: 'EUR',
    merchantId: 'm1',
    notifyUrl: null,
  }) as const;

const requested = (n: number): PaymentEvent => ({
  type: 'RefundRequested',
  data: {
    ...common(n),
    reason: null,
    referenceId: null,
    estimatedCompletion: '2026-01-16T12:00:00.000Z',
    idempotency: { keyHmac: 'k', dataKeyId: 'd', fingerprint: 'f' },
  },
});
const completed = (n: number): PaymentEvent => ({
  type: 'RefundCompleted',
  data: { ...common(n), processorResponse: { code: '00', message: 'Approved' } },
});

describe('the refunds of a payment', () => {
  it('stand in the order in which they were asked for, and are summed up by what became of them', () => {
    fc.assert(
      fc.property(refundSequences, (commands) => {
        const { stored, payment } = play(commands);
        const model = new Map<string, { readonly amount: bigint; readonly status: string }>();
        for (const { type, data } of stored) {
          if (type !== 'RefundRequested' && type !== 'RefundCompleted' && type !== 'RefundFailed') continue;
          const status = { RefundRequested: 'PENDING', RefundCompleted: 'COMPLETED', RefundFailed: 'FAILED' }[type];
          model.set(data.refundId, { amount: BigInt(data.amountMinor), status });
        }
        const shown = refundsOf(payment!).map(({ request, amountMinor, status }) => [
          request.refundId,
          { amount: amountMinor, status },
        ]);
        expect(shown).toEqual([...model]);
        const sum = (...statuses: readonly string[]) =>
          [...model.values()].reduce((minor, one) => minor + (statuses.includes(one.status) ? one.amount : 0n), 0n);
        expect(refundedMinor(payment!)).toBe(sum('COMPLETED'));
        const left = BigInt(payment!.created.amountMinor) - sum('PENDING', 'COMPLETED') - withdrawnMinor(payment!);
        expect(refundableMinor(payment!)).toBe(left > 0n ? left : 0n);
      }),
      { numRuns: 200 },
    );
  });

  it('may be more than are allowed now, in a history from before that limit', () => {
    const numbers = Array.from({ length: MAX_REFUNDS * 10 }, (_, n) => n);
    const events = [...history(...COMPLETED), ...numbers.map(requested), ...numbers.map(completed)];
    const payment: Payment = asStored(events).reduce(paymentDecider.evolve, paymentDecider.initialState)!;
    expect(refundsOf(payment).map(({ request, status }) => `${request.refundId} ${status}`)).toEqual(
      numbers.map((n) => `${refundIdOf(n)} COMPLETED`),
    );
    expect(refundOf(payment, refundIdOf(7))).toMatchObject({ amountMinor: 1n });
    expect(refundableMinor(payment)).toBe(0n);
    expect(paymentDecider.decide(createRefund(1n, 'more'), payment)).toEqual({
      kind: 'rejected',
      rejection: 'TOO_MANY_REFUNDS',
    });
  });
});
