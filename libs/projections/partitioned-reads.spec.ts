import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { CommandHandling, type Projection, ReadStoreUnavailableError, runProjector } from '@app/event-sourcing';
import { noneSkipped, observing } from '@app/event-sourcing/testing/observer';
import { paymentDecider, paymentStreamId } from '@app/payments/domain';
import { COMPLETED, create } from '@app/payments/testing/payments';
import { Metrics } from '@app/platform/telemetry';
import { ManualClock, SeededRandom, settle } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { MemoryReadStore } from '@app/stores/testing/memory-read-store';
import { balancesProjection } from '@app/ledger/read-models/projection';
import { GetBalancesQuery } from '@app/ledger/read-models/query';
import { GetBalancesHandler } from '@app/ledger/read-models/query-handler';
import { CompleteReads } from './complete-reads';
import { Partitions } from './partitions';
import { ListPaymentsQuery, ListPublicEventsQuery, type PublicEventPage } from '@app/payments/read-models/list-queries';
import { ListPaymentsHandler, ListPublicEventsHandler } from '@app/payments/read-models/list-query-handlers';
import { paymentsProjection, webhooksToSendList } from '@app/payments/read-models/projection';
import { PaymentReader } from '@app/payments/read-models/query-handlers';
import { processingProjection } from '@app/payments/read-models/processing-projection';
import { ProjectionProgress } from './progress';
import { sampleState } from './state-metrics';
import { webhookDeliveriesProjection } from '@app/webhooks/read-models/projection';
import { WebhookDeliveryReader } from '@app/webhooks/read-models/query-handlers';

const PROJECTIONS = [
  paymentsProjection,
  processingProjection,
  balancesProjection,
  webhookDeliveriesProjection,
] as unknown as readonly Projection[];
const partitions = new Partitions(3);
const MERCHANTS = ['m1', 'm2', 'm3', 'm4', 'm5'];
const idOf = (number: number) => `pay_${String(number).padStart(26, '0')}`;

const stop = new AbortController();
const running: Promise<void>[] = [];
afterAll(async () => {
  stop.abort();
  await Promise.all(running);
});

/** Ten completed payments, of five merchants in turn, in all partitions of all projections. */
async function setUp() {
  const [eventStore, readStore, clock] = [new MemoryEventStore(), new MemoryReadStore(), new ManualClock()];
  const progress = new ProjectionProgress();
  const handling = new CommandHandling({ eventStore, clock, random: new SeededRandom(), proofs: new SpecProofs() });
  const context = { correlationId: 'r', causationId: null, actor: 'spec' };
  for (let number = 0; number < 10; number += 1) {
    const paymentId = idOf(number);
    const merchantId = MERCHANTS[number % MERCHANTS.length]!;
    for (const command of [create({ paymentId, merchantId }), ...COMPLETED.slice(1)]) {
      await handling.handle(paymentDecider, paymentStreamId(paymentId), command, context);
    }
    await clock.advance(1_000);
  }
  const advanced = progress.advanced.bind(progress);
  const observer = observing({ opened: advanced, committed: advanced });
  const deps = { eventStore, readStore, clock, observer, skipped: noneSkipped };
  for (const part of PROJECTIONS.flatMap((projection) => partitions.of(projection))) {
    running.push(runProjector(part, deps, stop.signal));
  }
  await settle();
  const reads = new CompleteReads(eventStore, readStore, progress, clock);
  return { eventStore, readStore, clock, progress, reads };
}

it('merchants are spread over the partitions', () => {
  expect(new Set(MERCHANTS.map((merchantId) => partitions.indexOf(merchantId))).size).toBeGreaterThan(1);
});

it('every merchant sees their own payments, lists, events and balances', async () => {
  const { eventStore, readStore, clock, progress, reads } = await setUp();
  const reader = new PaymentReader(eventStore, new ManualClock(), readStore, progress, partitions);
  const lists = new ListPaymentsHandler(reads, clock, partitions);
  const feed = new ListPublicEventsHandler(reads, eventStore, clock, partitions);
  const balances = new GetBalancesHandler(reads, partitions);
  // These reads are answered from the read store, not from the log.
  eventStore.readStream = jest.fn(eventStore.readStream.bind(eventStore));
  for (const [index, merchantId] of MERCHANTS.entries()) {
    const own = [idOf(index + 5), idOf(index)];
    const found = await reader.payments(merchantId, own);
    expect(found).toMatchObject(own.map((paymentId) => ({ paymentId })));
    expect(eventStore.readStream).not.toHaveBeenCalled();
    const page = await lists.execute(new ListPaymentsQuery(merchantId, {}, null, 10));
    expect(page).toMatchObject({ items: own.map((paymentId) => ({ paymentId })), next: null });
    expect(await balances.execute(new GetBalancesQuery(merchantId))).toMatchObject({
      balances: [{ currency: 'EUR' }],
    });
  }
  for (const merchantId of MERCHANTS) {
    const first = await feed.execute(new ListPublicEventsQuery(merchantId, null, 1));
    expect(first).toMatchObject({ items: [{ eventType: 'payment.completed' }], next: expect.any(String) });
    const { eventId } = (first as PublicEventPage).items[0]!;
    const second = await feed.execute(new ListPublicEventsQuery(merchantId, { eventId }, 1));
    expect(second).toMatchObject({ items: [{ eventType: 'payment.completed' }], next: null });
  }
});

it("the operator's list of deliveries covers all partitions, page by page, in both directions", async () => {
  const { eventStore, reads } = await setUp();
  const reader = new WebhookDeliveryReader(eventStore, new ManualClock(), reads, partitions);
  const all = async (direction: 'ascending' | 'descending', limit: number) => {
    const times: string[] = [];
    for (let after: string | null = null; ;) {
      const page = await reader.page({ merchantId: null, status: null, direction, after, limit });
      if (page === 'rebuilding') throw new Error(page);
      times.push(...page.items.map(({ body }) => body.createdAt));
      if (page.next === null) return times;
      expect(page.items).toHaveLength(limit);
      after = page.next;
    }
  };
  const ascending = await all('ascending', 3);
  expect(ascending).toHaveLength(10);
  expect(ascending).toEqual([...ascending].sort());
  expect(await all('descending', 4)).toEqual([...ascending].reverse());
});

it('each delivery is found by the operator and its merchant, and by nobody else', async () => {
  const { eventStore, reads } = await setUp();
  const reader = new WebhookDeliveryReader(eventStore, new ManualClock(), reads, partitions);
  const page = await reader.page({ merchantId: null, status: null, direction: 'ascending', after: null, limit: 10 });
  if (page === 'rebuilding') throw new Error(page);
  for (const { body } of page.items) {
    expect(await reader.one(null, body.deliveryId)).toMatchObject({ body: { deliveryId: body.deliveryId } });
    expect(await reader.one(body.merchantId, body.deliveryId)).not.toBeNull();
    const others = MERCHANTS.filter((merchantId) => merchantId !== body.merchantId);
    for (const merchantId of others) expect(await reader.one(merchantId, body.deliveryId)).toBeNull();
  }
});

it('reads of an incomplete partition are refused to its merchants and the operator only', async () => {
  const { eventStore, reads, progress } = await setUp();
  const reader = new WebhookDeliveryReader(eventStore, new ManualClock(), reads, partitions);
  progress.lost(partitions.nameFor('webhook-deliveries', 'm1'));
  const page = (merchantId: string | null) =>
    reader.page({ merchantId, status: null, direction: 'ascending', after: null, limit: 10 });
  expect(await page(null)).toBe('rebuilding');
  for (const merchantId of MERCHANTS) {
    const isInThere = partitions.indexOf(merchantId) === partitions.indexOf('m1');
    expect((await page(merchantId)) === 'rebuilding').toBe(isInThere);
  }
});

it('each partition has its own lag, and a to-do list is measured as a whole', async () => {
  const { eventStore, readStore, clock } = await setUp();
  const behind = partitions.names('payments')[1]!;
  const versions = readStore.versions.bind(readStore);
  readStore.versions = async (name) => {
    const { active, building } = await versions(name);
    return { active: name === behind && active !== null ? { ...active, checkpoint: null } : active, building };
  };
  const metrics = new Metrics();
  const lists = { webhooks: webhooksToSendList };
  const projections = [PROJECTIONS[0]!];
  await sampleState({ eventStore, readStore, clock, metrics, projections, partitions, lists });
  const text = await metrics.text();
  const lags = [...text.matchAll(/^counterfoil_projection_lag_events\{projection="(.*)"\} (\d+)/gm)];
  expect(lags.map(([, name, events]) => [name, Number(events) > 0])).toEqual([
    ['payments:0/3', false],
    ['payments:1/3', true],
    ['payments:2/3', false],
  ]);
  expect(text).toContain('counterfoil_todo_items{list="webhooks"} 10');
});

it('payments are read from the log while the read store is unavailable', async () => {
  const { eventStore, readStore, progress } = await setUp();
  const reader = new PaymentReader(eventStore, new ManualClock(), readStore, progress, partitions);
  readStore.getMany = () => Promise.reject(new ReadStoreUnavailableError('away'));
  expect(await reader.payments('m1', [idOf(0), idOf(1)])).toMatchObject([{ status: 'COMPLETED' }, null]);
});

it('a list is refused from the moment the store has fallen back to an older state', async () => {
  const { readStore, clock, reads } = await setUp();
  const lists = new ListPaymentsHandler(reads, clock, partitions);
  const list = () => lists.execute(new ListPaymentsQuery('m1', {}, 'x', 10));
  expect(await list()).not.toBe('rebuilding');
  const versions = readStore.versions.bind(readStore);
  readStore.versions = async (name) => {
    const { active, building } = await versions(name);
    const checkpoint = { position: 1n, lastEvent: null, events: 1 };
    return { active: active && { ...active, checkpoint }, building };
  };
  expect(await list()).toBe('rebuilding');
});
