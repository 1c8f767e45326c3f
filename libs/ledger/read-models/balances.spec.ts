import { noneSkipped, observing } from '@app/event-sourcing/testing/observer';
import { runProjector, type StoredEvent } from '@app/event-sourcing';
import { asStored } from '@app/event-sourcing/testing/given-when-then';
import { type Currency, formatAmount } from '@app/money';
import type { PaymentCommand, PaymentEvent } from '@app/payments/domain';
import { accountBooks } from '@app/ledger/testing/account-book';
import { MERCHANTS, paymentHistories } from '@app/payments/testing/histories';
import {
  APPROVED,
  authorization,
  captureWord,
  create,
  DECLINED,
  history,
  play,
  refundWord,
  createRefund,
} from '@app/payments/testing/payments';
import { ManualClock, settle } from '@app/platform/testing/manual-clock';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { MemoryReadStore } from '@app/stores/testing/memory-read-store';
import * as fc from 'fast-check';
import { CompleteReads } from '@app/projections/complete-reads';
import { ProjectionProgress } from '@app/projections/progress';
import { balance } from './balance';
import type { BalanceBody } from './documents';
import { balancesProjection } from './projection';
import { GetBalancesQuery } from './query';
import { GetBalancesHandler } from './query-handler';

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

function setUp() {
  const readStore = new MemoryReadStore();
  const eventStore = new MemoryEventStore();
  const progress = new ProjectionProgress();
  const handler = new GetBalancesHandler(new CompleteReads(eventStore, readStore, progress, new ManualClock(0)));
  const append = async (events: readonly StoredEvent<PaymentEvent>[]) => {
    for (const { streamId, revision, id, type, data, metadata } of events) {
      const texts = { id, type, data: JSON.stringify(data), metadata: JSON.stringify(metadata) };
      await eventStore.append(streamId, revision === 0 ? 'no-stream' : revision - 1, [texts]);
    }
  };
  /** Projects everything in the log up to now, then stops. */
  const project = async () => {
    const stop = new AbortController();
    stops.push(stop);
    const advanced = progress.advanced.bind(progress);
    const observer = observing({ opened: advanced, committed: advanced });
    const deps = { eventStore, readStore, clock: new ManualClock(), observer, skipped: noneSkipped };
    const ended = runProjector(balancesProjection, deps, stop.signal);
    await settle();
    stop.abort();
    await ended;
  };
  const balances = (merchantId = 'm1') => handler.execute(new GetBalancesQuery(merchantId));
  return { append, project, balances };
}

const paid = (change: Parameters<typeof create>[0], feeMinor: bigint): readonly PaymentCommand[] => [
  create(change),
  authorization(),
  captureWord(APPROVED, feeMinor),
];

/** A payment in its own stream, with its own event ids. */
function payment(number: number, ...commands: readonly PaymentCommand[]): StoredEvent<PaymentEvent>[] {
  const paymentId = `pay_${String(number).padStart(26, '0')}`;
  const told = commands.map((command) =>
    command.type === 'CreatePayment' ? { ...command, payment: { ...command.payment, paymentId } } : command,
  );
  const streamId = `payment-${String(number).padStart(26, '0')}`;
  return play(told).stored.map((event) => ({ ...event, streamId, id: `${number}${event.id.slice(1)}` }));
}

describe("a merchant's balances", () => {
  it('are one for each currency, in alphabetical order, in its own decimals', async () => {
    const { append, project, balances } = setUp();
    await append(payment(1, ...paid({ amountMinor: '1000', currency: 'KWD' }, 29n)));
    await append(payment(2, ...paid({ amountMinor: '1000', currency: 'EUR' }, 29n)));
    await append(payment(3, ...paid({ amountMinor: '1000', currency: 'JPY' }, 0n)));
    await append(payment(4, ...paid({ amountMinor: '5', currency: 'EUR' }, 0n)));
    await project();
    const none = { KWD: '0.000', JPY: '0', EUR: '0.00' };
    expect(await balances()).toEqual({
      balances: [
        {
          currency: 'EUR',
          gatewayReceivable: '10.05',
          merchantPayable: '9.76',
          refundsPending: none.EUR,
          feesEarned: '0.29',
          chargebacks: none.EUR,
        },
        {
          currency: 'JPY',
          gatewayReceivable: '1000',
          merchantPayable: '1000',
          refundsPending: none.JPY,
          feesEarned: none.JPY,
          chargebacks: none.JPY,
        },
        {
          currency: 'KWD',
          gatewayReceivable: '1.000',
          merchantPayable: '0.971',
          refundsPending: none.KWD,
          feesEarned: '0.029',
          chargebacks: none.KWD,
        },
      ],
    });
  });

  it('are those of that merchant alone', async () => {
    const { append, project, balances } = setUp();
    await append(payment(1, ...paid({ merchantId: 'm1' }, 1n)));
    await append(payment(2, ...paid({ merchantId: 'm11' }, 2n)));
    await project();
    expect(await balances('m1')).toMatchObject({ balances: [{ currency: 'EUR', feesEarned: '0.01' }] });
    expect(await balances('m11')).toMatchObject({ balances: [{ currency: 'EUR', feesEarned: '0.02' }] });
    for (const other of ['m2', '', 'm1|EUR']) expect(await balances(other)).toEqual({ balances: [] });
  });

  it('are none before anything was captured', async () => {
    const { append, project, balances } = setUp();
    await append(payment(1, create(), authorization()));
    await project();
    expect(await balances()).toEqual({ balances: [] });
  });

  it('follow refunds from request to end, and may leave the merchant owing', async () => {
    const { append, project, balances } = setUp();
    const commands = [
      ...paid({}, 29n),
      createRefund(300n),
      createRefund(700n, 'r2'),
      refundWord('r1', DECLINED),
      refundWord('r2'),
      createRefund(300n, 'r3'),
    ];
    const events = payment(1, ...commands);
    const seen: unknown[] = [];
    for (const event of events.slice(3)) {
      await append(event.revision === 3 ? events.slice(0, 4) : [event]);
      await project();
      const answer = await balances();
      const [{ gatewayReceivable, merchantPayable, refundsPending }] = (answer as { balances: [BalanceBody] }).balances;
      seen.push([gatewayReceivable, merchantPayable, refundsPending]);
    }
    expect(seen).toEqual([
      ['10.00', '9.71', '0.00'],
      ['10.00', '6.71', '3.00'],
      ['10.00', '-0.29', '10.00'],
      ['10.00', '2.71', '7.00'],
      ['3.00', '2.71', '0.00'],
      ['3.00', '-0.29', '3.00'],
    ]);
  });
});

describe('the balances model', () => {
  it('agrees with sums of captures and refunds, wherever its projection stopped and went on', async () => {
    await fc.assert(
      fc.asyncProperty(paymentHistories, fc.nat(), async (events, at) => {
        const { append, project, balances } = setUp();
        const stop = at % (events.length + 1);
        await append(events.slice(0, stop));
        await project();
        for (const until of [stop, events.length]) {
          for (const merchantId of MERCHANTS) {
            expect(await balances(merchantId)).toEqual({ balances: reckoned(merchantId, events.slice(0, until)) });
          }
          if (until === stop) await append(events.slice(stop));
          await project();
        }
      }),
      { numRuns: 60 },
    );
  });

  it('holds money as texts, so that no amount is too large', async () => {
    const { append, project, balances } = setUp();
    const amountMinor = '9999999999999999';
    await append(payment(1, ...paid({ amountMinor }, 1n)));
    await append(payment(2, ...paid({ amountMinor }, 1n)));
    await project();
    expect(await balances()).toMatchObject({
      balances: [{ gatewayReceivable: '199999999999999.98', merchantPayable: '199999999999999.96' }],
    });
  });

  it('stops at figures that are out of balance, instead of carrying them on', () => {
    const [captured] = asStored(history(...paid({}, 0n)).slice(-1));
    const sound = balance.evolve(null, captured!)!;
    expect(balance.evolve(sound, captured!)).toMatchObject({ sums: { gatewayReceivable: '2000' } });
    const damaged = { ...sound, sums: { ...sound.sums, feesEarned: '-1' } };
    expect(() => balance.evolve(damaged, captured!)).toThrow('out of balance');
  });

  it('is not concerned by events that move no money', () => {
    const [created] = asStored(history(create()));
    expect(balance.key(created!)).toBeNull();
    expect(balance.evolve(null, created!)).toBeNull();
  });
});

/** The expected response for the merchant's balances, from sums of captures and refunds alone. */
function reckoned(merchantId: string, events: readonly PaymentEvent[]): readonly BalanceBody[] {
  const own = [...accountBooks(events)].filter(([key]) => key.startsWith(`${merchantId}|`)).toSorted();
  return own.map(([key, { figures }]) => {
    const currency = key.slice(merchantId.length + 1) as Currency;
    const texts = Object.entries(figures).map(([name, minor]) => [name, formatAmount(minor, currency)]);
    return { currency, ...(Object.fromEntries(texts) as Omit<BalanceBody, 'currency'>) };
  });
}
