import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { CommandHandling, foldDocument, readEvent } from '@app/event-sourcing';
import {
  MAX_REFUNDS,
  type PaymentCommand,
  paymentDecider,
  type PaymentEvent,
  paymentSchemas,
  paymentStreamId,
} from '@app/payments/domain';
import {
  authorization,
  captureWord,
  commandSequences,
  COMPLETED,
  create,
  createManual,
  DECLINED,
  scheduleRetry,
  PAYMENT_ID,
  refundWord,
  cancelPayment,
  capturePayment,
  createRefund,
  voidWord,
} from '@app/payments/testing/payments';
import { ManualClock, SeededRandom, settle } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import * as fc from 'fast-check';
import {
  GetPaymentAtQuery,
  GetPaymentEventsQuery,
  GetPaymentRefundsQuery,
  type HistoryPage,
  type PageOf,
} from './history-queries';
import {
  GetPaymentAtHandler,
  GetPaymentEventsHandler,
  GetPaymentRefundsHandler,
  PaymentHistory,
} from './history-query-handlers';
import { paymentView } from './payment-view';
import { refundView } from './refund-view';

async function setUp(commands: readonly PaymentCommand[]) {
  const eventStore = new MemoryEventStore();
  const clock = new ManualClock(Date.UTC(2026, 0, 15, 12));
  const handling = new CommandHandling({ eventStore, clock, random: new SeededRandom(), proofs: new SpecProofs() });
  const run = async (...more: readonly PaymentCommand[]) => {
    const context = { correlationId: 'r', causationId: null, actor: 'spec' };
    for (const command of more) {
      await handling.handle(paymentDecider, paymentStreamId(PAYMENT_ID), command, context);
      await clock.advance(1_000);
    }
  };
  await run(...commands);
  const history = new PaymentHistory(eventStore, clock);
  const at = (revision: number, merchantId = 'm1', paymentId = PAYMENT_ID) =>
    new GetPaymentAtHandler(history).execute(new GetPaymentAtQuery(merchantId, paymentId, revision));
  const refundsPage = (page: PageOf, merchantId = 'm1', paymentId = PAYMENT_ID) =>
    new GetPaymentRefundsHandler(history).execute(new GetPaymentRefundsQuery(merchantId, paymentId, page));
  const eventsPage = (page: PageOf, merchantId = 'm1', paymentId = PAYMENT_ID) =>
    new GetPaymentEventsHandler(history).execute(new GetPaymentEventsQuery(merchantId, paymentId, page));
  const refunds = async (merchantId = 'm1', paymentId = PAYMENT_ID) =>
    (await refundsPage({ after: null, limit: 100 }, merchantId, paymentId))?.items ?? null;
  const events = async (merchantId = 'm1', paymentId = PAYMENT_ID) =>
    (await eventsPage({ after: null, limit: 100 }, merchantId, paymentId))?.items ?? null;
  const stored = async () =>
    (await eventStore.readStream(paymentStreamId(PAYMENT_ID))).map((event) =>
      readEvent<PaymentEvent>(event, paymentSchemas),
    );
  return { run, at, refunds, events, refundsPage, eventsPage, stored, eventStore, clock };
}

describe('a payment as of an event', () => {
  it('stays as it was, whatever becomes of it', async () => {
    const { run, at } = await setUp([createManual(), authorization(), capturePayment(400n)]);
    const first = JSON.stringify(await at(2));
    expect(JSON.parse(first)).toMatchObject({
      status: 'AUTHORIZED',
      transactions: [{ status: 'SUCCESS' }, { type: 'CAPTURE', amount: '4.00', status: 'PENDING' }],
      capturedAmount: { value: '0.00' },
    });
    await run(captureWord(), createRefund(100n), refundWord());
    expect(JSON.stringify(await at(2))).toBe(first);
    expect(await at(3)).toMatchObject({ status: 'COMPLETED', capturedAmount: { value: '4.00' } });
  });

  it('is what the view shows at its end', () =>
    fc.assert(
      fc.asyncProperty(commandSequences, async (commands) => {
        const { at, stored } = await setUp(commands);
        const events = await stored();
        const view = foldDocument(paymentView, PAYMENT_ID, events);
        expect(await at(events.length - 1)).toEqual(view?.body);
      }),
      { numRuns: 30 },
    ));
});

describe('the refunds of a payment', () => {
  it('stand in the order in which they were asked for, each as it is read by itself', async () => {
    const { refunds, stored } = await setUp([
      ...COMPLETED,
      createRefund(300n, 'r9'),
      createRefund(100n, 'r1', { reason: null, referenceId: null }),
      createRefund(200n, 'r5'),
      refundWord('r5'),
      refundWord('r9', DECLINED),
    ]);
    const list = await refunds();
    expect(list?.map(({ refundId, status }) => `${refundId} ${status}`)).toEqual([
      'ref_r9 FAILED',
      'ref_r1 PENDING',
      'ref_r5 COMPLETED',
    ]);
    const events = await stored();
    const views = list?.map(({ refundId }) => foldDocument(refundView, refundId, events)?.body);
    expect(JSON.stringify(list)).toBe(JSON.stringify(views));
  });

  it('are none at first', async () => {
    expect(await (await setUp([create()])).refunds()).toEqual([]);
  });
});

describe('the public events of a payment', () => {
  it('tell what its webhooks told, each of the payment as it was then', async () => {
    const { events } = await setUp([
      createManual(),
      authorization(),
      capturePayment(400n),
      captureWord(),
      createRefund(100n),
      refundWord(),
    ]);
    const told = await events();
    expect(told?.map(({ eventType, data }) => `${eventType} ${String(data['status'])}`)).toEqual([
      'payment.authorized AUTHORIZED',
      'payment.completed COMPLETED',
      'refund.completed COMPLETED',
    ]);
    expect(told?.map(({ data }) => (data['amount'] as { value: string }).value)).toEqual(['10.00', '4.00', '1.00']);
    expect(told?.every(({ eventId }) => /^evt_[0-9A-Z]{26}$/.test(eventId))).toBe(true);
  });

  it('tell of a hold that was found when the payment was to end, and of its end', async () => {
    const { events } = await setUp([createManual(), cancelPayment(), voidWord(true)]);
    expect((await events())?.map(({ eventType, data }) => [eventType, data['status']])).toEqual([
      ['payment.authorized', 'AUTHORIZED'],
      ['payment.cancelled', 'CANCELLED'],
    ]);
  });

  it('are none while there is nothing to tell', async () => {
    expect(await (await setUp([create(), cancelPayment()])).events()).toEqual([]);
  });
});

describe('a page of them', () => {
  const NAMES = Array.from({ length: 5 }, (_, n) => `r${n}`);
  const MANY = [
    ...COMPLETED,
    ...NAMES.map((name) => createRefund(1n, name)),
    ...[...NAMES].reverse().map((name) => refundWord(name)),
  ];

  async function allOf<T>(read: (page: PageOf) => Promise<HistoryPage<T> | null>, limit: number) {
    const pages: (readonly T[])[] = [];
    for (let after: string | null = null; ;) {
      const page: HistoryPage<T> | null = await read({ after, limit });
      pages.push(page!.items);
      if (page!.next === null) return pages;
      after = page!.next;
    }
  }

  it.each([1, 2, 5, 6])('goes on where the one before ended, with %d on each', async (limit) => {
    const { refunds, events, refundsPage, eventsPage } = await setUp(MANY);
    for (const [whole, pages] of [
      [await refunds(), await allOf<unknown>(refundsPage, limit)],
      [await events(), await allOf<unknown>(eventsPage, limit)],
    ] as const) {
      expect(pages.flat()).toEqual(whole);
      expect(pages.map(({ length }) => length).slice(0, -1)).toEqual(pages.slice(1).map(() => limit));
      expect(pages.at(-1)?.length).toBeGreaterThan(0);
    }
  });

  it('stays as it is while refunds are added', async () => {
    const { run, refundsPage } = await setUp(MANY);
    const second = await refundsPage({ after: '1', limit: 2 });
    await run(createRefund(1n, 'later'));
    expect(await refundsPage({ after: '1', limit: 2 })).toEqual(second);
  });

  it('of a long history is read in turns, and no further than it goes', async () => {
    const names = Array.from({ length: MAX_REFUNDS }, (_, n) => `r${n}`);
    const { eventsPage, eventStore, clock } = await setUp([
      ...COMPLETED,
      ...names.map((name) => createRefund(1n, name)),
      ...names.map((name) => scheduleRetry({ operation: 'REFUND', refundId: `ref_${name}` })),
      ...names.map((name) => refundWord(name)),
    ]);
    const read = jest.spyOn(eventStore, 'readStream');
    expect((await eventsPage({ after: null, limit: 1 }))?.items).toHaveLength(1);
    expect(read.mock.calls.map(([, options]) => options)).toEqual([{ from: 0, maxCount: 250 }]);
    const whole = eventsPage({ after: null, limit: 100 });
    await settle();
    // The rest of the stream is read only after the thread was yielded.
    expect([read.mock.calls.length, clock.pending]).toEqual([2, 1]);
    await clock.advance(0);
    expect((await whole)?.items).toHaveLength(100);
  });
});

it("finds nothing of another merchant's, nor of what is no payment", async () => {
  const { at, refunds, events } = await setUp(COMPLETED);
  for (const [merchantId, paymentId] of [
    ['m2', PAYMENT_ID],
    ['m1', 'pay_00000000000000000000000002'],
    ['m1', 'x'],
  ] as const) {
    expect(await at(0, merchantId, paymentId)).toBeNull();
    expect(await refunds(merchantId, paymentId)).toBeNull();
    expect(await events(merchantId, paymentId)).toBeNull();
  }
});
