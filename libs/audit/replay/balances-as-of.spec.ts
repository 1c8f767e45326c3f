import { auditedLog, paymentIdOf, paymentOf } from '@app/audit/testing/payment-log';
import { foreignEvent } from '@app/event-sourcing/testing/recorded-events';
import { toBalanceBody } from '@app/ledger/read-models/balance';
import { paymentStreamId } from '@app/payments/domain';
import { APPROVED, authorization, captureWord, create, createRefund, refundWord } from '@app/payments/testing/payments';
import { type AsOf, TO_THE_END } from './as-of';
import { balancesAsOf } from './balances-as-of';

const paid = (amountMinor: string, change: object = {}) => [
  create({ amountMinor, ...change }),
  authorization(),
  captureWord(APPROVED, 30n),
];

async function twoPayments() {
  const log = auditedLog();
  // Positions 100 to 400, then 500 to 1000, then another merchant's.
  await log.append(paymentOf(1, ...paid('1000')));
  await log.append(paymentOf(2, ...paid('500'), createRefund(200n), refundWord()));
  await log.append(paymentOf(3, ...paid('700', { merchantId: 'm2' })));
  const at = async (asOf: AsOf) => {
    const { balances, payments, postings, damages } = await balancesAsOf(log, 'm1', asOf);
    return { balances: balances.map(toBalanceBody), payments, postings, damages };
  };
  return { log, at };
}

const eur = (gatewayReceivable: string, merchantPayable: string, refundsPending: string, feesEarned: string) => [
  { currency: 'EUR', gatewayReceivable, merchantPayable, refundsPending, feesEarned, chargebacks: '0.00' },
];

it.each([
  ['everything', TO_THE_END, eur('13.00', '12.40', '0.00', '0.60'), 2, 4],
  ['a pending refund', { kind: 'position' as const, position: 900n }, eur('15.00', '12.40', '2.00', '0.60'), 2, 3],
  ['one capture', { kind: 'position' as const, position: 400n }, eur('10.00', '9.70', '0.00', '0.30'), 1, 1],
  ['a payment without money', { kind: 'position' as const, position: 100n }, [], 1, 0],
  ['a time before all', { kind: 'time' as const, ms: 0 }, [], 0, 0],
])('balances as of %s are folded from the log', async (_name, asOf, balances, payments, postings) => {
  const { at } = await twoPayments();
  expect(await at(asOf)).toEqual({ balances, payments, postings, damages: [] });
});

it('balances name each damaged stream of the merchant, and leave out what follows the damage', async () => {
  const { log, at } = await twoPayments();
  await log.eventStore.append(paymentStreamId(paymentIdOf(2)), 5, [
    foreignEvent('00000000-0000-4000-8000-0000000000ff'),
  ]);
  await log.eventStore.append(paymentStreamId(paymentIdOf(3)), 3, [
    foreignEvent('00000000-0000-4000-8000-0000000000fe'),
  ]);
  expect(await at(TO_THE_END)).toMatchObject({
    balances: eur('13.00', '12.40', '0.00', '0.60'),
    damages: [{ streamId: paymentStreamId(paymentIdOf(2)), revision: 6, kind: 'FOREIGN' }],
  });
});

it("a payment whose first event cannot be read may be anyone's", async () => {
  const { log, at } = await twoPayments();
  const foreign = foreignEvent('00000000-0000-4000-8000-0000000000ff', { type: 'PaymentCreated' });
  await log.eventStore.append(paymentStreamId(paymentIdOf(9)), 'no-stream', [foreign]);
  expect((await at(TO_THE_END)).damages).toMatchObject([
    { streamId: paymentStreamId(paymentIdOf(9)), kind: 'FOREIGN' },
  ]);
});

it('an event that does not balance is damage', async () => {
  const { log, at } = await twoPayments();
  const [created, authorized, requested, captured] = paymentOf(4, ...paid('800'));
  const wrong = { ...captured!, data: { ...captured!.data, feeMinor: '9000' } } as NonNullable<typeof captured>;
  await log.append([created!, authorized!, requested!, wrong]);
  expect(await at(TO_THE_END)).toMatchObject({ postings: 4, damages: [{ revision: 3, kind: 'BROKEN' }] });
});
