import { asStored } from '@app/kernel/testing/given-when-then';
import { COMPLETED, history, PAYMENT_ID } from '@app/domain/testing/payments';
import * as fc from 'fast-check';
import { type Payment, paymentDecider, type PaymentEvent, type Refund, refundableMinor, refundOf, refundsOf } from '.';
import { eachRefund, NO_REFUNDS, refundIn, type Refunds, withRefund } from './refunds';

function refund(refundId: string, amountMinor: bigint, status: Refund['status']): Refund {
  const request = { refundId } as Refund['request'];
  const origin = { eventId: 'e', correlationId: 'r' };
  return { request, amountMinor, status, requestedAt: '', origin, failure: null, deferral: null };
}

/** How many entries of maps and lists stand in the one that don't stand in the other, as the same object in the same part. */
function copied(after: unknown, before: unknown): number {
  if (after === before) return 0;
  if (after instanceof Map) {
    const known = before instanceof Map ? before : new Map<unknown, unknown>();
    return [...after].reduce((sum, [key, child]) => sum + 1 + copied(child, known.get(key)), 0);
  }
  return Array.isArray(after) ? after.length : 0;
}

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** Some are alike from their ends on, some are the ends of others. */
const ids = fc.oneof(
  fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: 1, maxLength: 3 }),
  fc.nat(60).map((n) => `ref_${n}_SAMEEND`),
);
const statuses = fc.constantFrom<Refund['status']>('PENDING', 'COMPLETED', 'FAILED');

describe('the refunds of a payment', () => {
  it('are what a plain map and plain sums would hold, at each moment, and old books stay as they were', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(ids, fc.bigInt({ min: 1n, max: 99n }), statuses), { maxLength: 200 }), (puts) => {
        const model = new Map<string, Refund>();
        const kept: { readonly book: Refunds; readonly listed: readonly Refund[] }[] = [];
        let book = NO_REFUNDS;
        for (const [id, amountMinor, status] of puts) {
          const put = refund(id, amountMinor, status);
          model.set(id, put);
          book = withRefund(book, put);
          expect(refundIn(book, id)).toBe(put);
          kept.push({ book, listed: [...model.values()] });
        }
        for (const { book: earlier, listed } of kept) {
          expect([...eachRefund(earlier)]).toEqual(listed);
          const sum = (status: Refund['status']) =>
            listed.reduce((minor, one) => minor + (one.status === status ? one.amountMinor : 0n), 0n);
          expect(earlier).toMatchObject({
            count: listed.length,
            reservedMinor: sum('PENDING'),
            refundedMinor: sum('COMPLETED'),
          });
        }
        for (const id of model.keys()) expect(refundIn(book, id)).toBe(model.get(id));
        expect(refundIn(book, 'ref_NOBODY')).toBeUndefined();
      }),
      { numRuns: 100 },
    );
  });

  // Ids come from the client's keys: whoever tries long enough makes them as alike as they want.
  it.each([
    ['spread out', (n: number) => `ref_${((n * 2_654_435_761) % 2 ** 32).toString(32).toUpperCase().padStart(7, '0')}`],
    ['chosen to end alike', (n: number) => `ref_${String(n).padStart(4, '0')}ABCDEFGHJKM`],
  ])('cost each event as little as the first, with ids that are %s', (_how, idOf) => {
    const completed = asStored(history(...COMPLETED)).reduce(paymentDecider.evolve, paymentDecider.initialState);
    const [requests, words] = [requestsOf(idOf), completionsOf(idOf)];
    let payment: Payment = completed!;
    let most = 0;
    for (const event of asStored([...requests, ...words])) {
      const next: Payment = paymentDecider.evolve(payment, event)!;
      most = Math.max(most, copied(next.refunds.root, payment.refunds.root));
      payment = next;
    }
    expect(refundsOf(payment).map(({ request, status }) => `${request.refundId} ${status}`)).toEqual(
      Array.from({ length: 1_000 }, (_, n) => `${idOf(n)} COMPLETED`),
    );
    expect(refundOf(payment, idOf(7))).toMatchObject({ amountMinor: 1n });
    expect(refundableMinor(payment)).toBe(0n);
    expect(most).toBeLessThan(100);
  });
});

const common = (n: number, idOf: (n: number) => string) =>
  ({
    paymentId: PAYMENT_ID,
    refundId: idOf(n),
    transactionId: `txn_${n}`,
    amountMinor: '1',
    currency: 'EUR',
    merchantId: 'm1',
    notifyUrl: null,
  }) as const;

function requestsOf(idOf: (n: number) => string): PaymentEvent[] {
  return Array.from({ length: 1_000 }, (_, n) => ({
    type: 'RefundRequested',
    data: {
      ...common(n, idOf),
      reason: null,
      referenceId: null,
      estimatedCompletion: '2026-01-16T12:00:00.000Z',
      idempotency: { keyHmac: 'k', dataKeyId: 'd', fingerprint: 'f' },
    },
  }));
}

function completionsOf(idOf: (n: number) => string): PaymentEvent[] {
  return Array.from({ length: 1_000 }, (_, n) => ({
    type: 'RefundCompleted',
    data: { ...common(n, idOf), processorResponse: { code: '00', message: 'Approved' } },
  }));
}
