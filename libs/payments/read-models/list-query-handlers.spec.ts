import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { noneSkipped, observing } from '@app/event-sourcing/testing/observer';
import { CommandHandling, type Loaded, runProjector } from '@app/event-sourcing';
import { type Payment, type PaymentCommand, paymentDecider, paymentStreamId } from '@app/payments/domain';
import { authorization, captureWord, create, DECLINED, refundWord, createRefund } from '@app/payments/testing/payments';
import { ManualClock, SeededRandom, settle } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { MemoryReadStore } from '@app/stores/testing/memory-read-store';
import { CompleteReads } from '@app/projections/complete-reads';
import { ProjectionProgress } from '@app/projections/progress';
import { PaymentHistory } from './history-query-handlers';
import { type EventsAfter, ListPublicEventsQuery, type PublicEventPage } from './list-queries';
import { ListPublicEventsHandler } from './list-query-handlers';
import { paymentsProjection } from './projection';
import { MAX_COST, MAX_READS } from './told-events';

/** Counts reads: streams, events, and concurrent reads. */
class CountingEventStore extends MemoryEventStore {
  readonly reads: string[] = [];
  events = 0;
  mostAtOnce = 0;
  private running = 0;

  override async readStream(...args: Parameters<MemoryEventStore['readStream']>) {
    this.reads.push(args[0]);
    this.running += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.running);
    await settle();
    const events = await super.readStream(...args);
    this.running -= 1;
    this.events += events.length;
    return events;
  }

  forget(): void {
    this.reads.length = this.events = this.mostAtOnce = 0;
  }
}

const paymentId = (n: number) => `pay_${String(n).padStart(26, '0')}`;

/** Payments 1 to `payments` with this many refunds each, even ones completed and odd ones refused; all projected. */
async function setUp(payments: number, refunds: number) {
  const eventStore = new CountingEventStore();
  const clock = new ManualClock();
  const handling = new CommandHandling({ eventStore, clock, random: new SeededRandom(), proofs: new SpecProofs() });
  const context = { correlationId: 'r', causationId: null, actor: 'spec' };
  for (let n = 1; n <= payments; n += 1) {
    let loaded: Loaded<Payment | null> = { state: null, last: null };
    for (const command of commandsOf(n, refunds)) {
      const stream = paymentStreamId(paymentId(n));
      ({ loaded } = await handling.handle(paymentDecider, stream, command, context, loaded));
    }
  }
  const [readStore, progress, stop] = [new MemoryReadStore(), new ProjectionProgress(), new AbortController()];
  const advanced = progress.advanced.bind(progress);
  const observer = observing({ opened: advanced, committed: advanced });
  const projecting = runProjector(
    paymentsProjection,
    { eventStore, readStore, clock, observer, skipped: noneSkipped },
    stop.signal,
  );
  await progress.reached(paymentsProjection.name, (await eventStore.head())!, new AbortController().signal);
  stop.abort();
  await projecting;
  eventStore.forget();
  const reads = new CompleteReads(eventStore, readStore, progress, clock);
  const handler = new ListPublicEventsHandler(reads, eventStore, clock);
  const list = (after: EventsAfter, limit: number) =>
    handler.execute(new ListPublicEventsQuery('m1', after, limit)) as Promise<PublicEventPage>;
  return { eventStore, readStore, clock, list, history: new PaymentHistory(eventStore, clock) };
}

function commandsOf(n: number, refunds: number): readonly PaymentCommand[] {
  const names = Array.from({ length: refunds }, (_, count) => `p${n}r${count}`);
  return [
    create({ paymentId: paymentId(n) }),
    authorization(),
    captureWord(),
    ...names.map((name) => createRefund(1n, name)),
    ...names.map((name, count) => (count % 2 === 0 ? refundWord(name) : refundWord(name, DECLINED))),
  ];
}

const everything = { after: null, limit: 1_000 };

describe("a page of a merchant's public events", () => {
  it('tells what webhooks told, from any event and from any page on', async () => {
    const { list, history } = await setUp(3, 10);
    const pages = await Promise.all([1, 2, 3].map((n) => history.publicEvents('m1', paymentId(n), everything)));
    const all = pages.flatMap((page) => page?.items ?? []);
    const first = await list(null, 20);
    expect([first.items, first.next]).toEqual([all.slice(0, 20), expect.any(String)]);
    expect(await list({ next: first.next! }, 100)).toEqual({ items: all.slice(20), next: null });
    expect(await list({ eventId: all[4]!.eventId }, 3)).toMatchObject({ items: all.slice(5, 8) });
  });

  it('reads the create, what it tells of and the requests of its refunds, not the payments around them', async () => {
    const { eventStore, list, history } = await setUp(1, 100);
    const told = await history.publicEvents('m1', paymentId(1), everything);
    eventStore.forget();
    const { items } = await list({ eventId: told!.items[50]!.eventId }, 1);
    expect(items).toEqual([told!.items[51]]);
    // The request is a hundred events before the end: the search goes back in steps and reads no further.
    expect(eventStore.events).toBeLessThan(130);
    eventStore.forget();
    await list(null, 1);
    expect([eventStore.reads.length, eventStore.events]).toEqual([1, 4]);
  });

  it('reads a few payments at a time, each once', async () => {
    const { eventStore, list } = await setUp(30, 0);
    expect((await list(null, 100)).items).toHaveLength(30);
    expect(eventStore.reads).toEqual(Array.from({ length: 30 }, (_, n) => paymentStreamId(paymentId(n + 1))));
    expect([eventStore.mostAtOnce, eventStore.events]).toEqual([MAX_READS, 30 * 4]);
  });

  it('ends early rather than to read on and on, and leads on to the rest', async () => {
    const { eventStore, clock, list, history } = await setUp(12, 100);
    const pages = await Promise.all(
      Array.from({ length: 12 }, (_, n) => history.publicEvents('m1', paymentId(n + 1), everything)),
    );
    const ids = pages.flatMap((page) => page?.items ?? []).map(({ eventId }) => eventId);
    const told: string[] = [];
    for (let after: EventsAfter = null; ;) {
      eventStore.forget();
      let listed: PublicEventPage | undefined;
      const listing: Promise<void> = list(after, 100).then((page) => void (listed = page));
      while (listed === undefined) await clock.advance(1);
      await listing;
      expect(eventStore.events).toBeLessThanOrEqual(MAX_COST + 300);
      expect(listed.items.length).toBeGreaterThan(0);
      told.push(...listed.items.map(({ eventId }) => eventId));
      if (listed.next === null) break;
      after = { next: listed.next };
    }
    expect(told).toEqual(ids);
  });

  it('that goes through hundreds of events lets others have their turn in between', async () => {
    const { clock, list } = await setUp(4, 100);
    let isListed = false;
    const listing = list(null, 300).finally(() => (isListed = true));
    await settle(400);
    expect([isListed, clock.pending > 0]).toEqual([false, true]);
    while (!isListed) await clock.advance(1);
    expect((await listing).items.length).toBeGreaterThan(0);
  });
});

describe('places of the feed that were forged', () => {
  /** Forges the n-th entry of the page. */
  async function setUpForged(payments: number, refunds: number, nth: number, source: unknown) {
    const world = await setUp(payments, refunds);
    const { readStore } = world;
    const page = readStore.page.bind(readStore);
    readStore.page = async (request) =>
      (await page(request)).map((one, at) => (at === nth ? { ...one, document: { ...one.document, source } } : one));
    return world;
  }

  const other = { streamId: paymentStreamId(paymentId(2)), revision: 2 };
  it.each<[string, unknown]>([
    ['another event of the payment', { ...other, streamId: paymentStreamId(paymentId(1)), revision: 1 }],
    ['an event of another payment', other],
    ['a place behind the end of the payment', { streamId: paymentStreamId(paymentId(1)), revision: 1e15 }],
    ['a payment that there is not', { ...other, streamId: paymentStreamId(paymentId(9)) }],
    ['a stream that is no payment’s', { streamId: 'merchant-m1', revision: 0 }],
    ['a stream that is no text', { streamId: 7, revision: 0 }],
    ['half an event', { ...other, revision: 0.5 }],
    ['an event before the first', { ...other, revision: -1 }],
    ['no event', undefined],
    ['nothing', null],
  ])('and name %s are left out; all others are told, as dear as ever', async (_what, source) => {
    const honest = await setUp(3, 10);
    const all = (await honest.list(null, 100)).items;
    const { eventStore, list } = await setUpForged(3, 10, 0, source);
    expect(await list(null, 100)).toEqual({ items: all.slice(1), next: null });
    expect(eventStore.events).toBeLessThanOrEqual(honest.eventStore.events + 2 * 23);
    expect(eventStore.reads.length).toBeLessThanOrEqual(honest.eventStore.reads.length + 4);
  });
});
