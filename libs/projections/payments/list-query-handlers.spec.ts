import { noneSkipped, observing } from '@app/kernel/testing/observer';
import { CommandHandling, type Loaded, runProjector } from '@app/kernel';
import { type Payment, type PaymentCommand, paymentDecider, paymentStreamId } from '@app/domain/payment';
import { authorization, captureWord, create, DECLINED, refundWord, requestRefund } from '@app/domain/testing/payments';
import { sha256Netstrings } from '@app/runtime';
import { ManualClock, SeededRandom, settle } from '@app/runtime/testing';
import { MemoryEventStore } from '@app/storage/memory/event-store';
import { MemoryReadStore } from '@app/storage/memory/read-store';
import { CompleteReads } from '../complete-reads';
import { ProjectionProgress } from '../progress';
import { PaymentHistory } from './history-query-handlers';
import { ListPublicEventsQuery, type PublicEventPage } from './list-queries';
import { ListPublicEventsHandler } from './list-query-handlers';
import { paymentsProjection } from './projection';

class CountingEventStore extends MemoryEventStore {
  readonly reads: string[] = [];

  override readStream(...args: Parameters<MemoryEventStore['readStream']>) {
    this.reads.push(args[0]);
    return super.readStream(...args);
  }
}

const paymentId = (n: number) => `pay_${String(n).padStart(26, '0')}`;

/** Payments 1 to `payments`, each with so many refunds, the even ones completed and the odd ones refused; all projected. */
async function setUp(payments: number, refunds: number) {
  const eventStore = new CountingEventStore();
  const clock = new ManualClock();
  const handling = new CommandHandling({ eventStore, clock, random: new SeededRandom(), hash: sha256Netstrings });
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
    { eventStore, readStore, clock, codeHash: 'c', observer, skipped: noneSkipped },
    stop.signal,
  );
  await progress.reached(paymentsProjection.name, (await eventStore.head())!, new AbortController().signal);
  stop.abort();
  await projecting;
  eventStore.reads.length = 0;
  const reads = new CompleteReads(eventStore, readStore, progress, clock);
  const handler = new ListPublicEventsHandler(reads, eventStore, clock);
  const list = (after: string | null, limit: number) =>
    handler.execute(new ListPublicEventsQuery('m1', after, limit)) as Promise<PublicEventPage>;
  return { eventStore, clock, list, history: new PaymentHistory(eventStore) };
}

function commandsOf(n: number, refunds: number): readonly PaymentCommand[] {
  const names = Array.from({ length: refunds }, (_, count) => `p${n}r${count}`);
  return [
    create({ paymentId: paymentId(n) }),
    authorization(),
    captureWord(),
    ...names.map((name) => requestRefund(1n, name)),
    ...names.map((name, count) => (count % 2 === 0 ? refundWord(name) : refundWord(name, DECLINED))),
  ];
}

describe("a page of a merchant's public events", () => {
  it('reads each payment once, however many of the events are of it, and tells what webhooks told', async () => {
    const { eventStore, list, history } = await setUp(3, 40);
    const page = await list(null, 100);
    expect(eventStore.reads).toEqual([1, 2, 3].map((n) => paymentStreamId(paymentId(n))));
    const all = await Promise.all([1, 2, 3].map((n) => history.publicEvents('m1', paymentId(n))));
    expect(page.items).toEqual(all.flatMap((events) => events ?? []).slice(0, 100));
    expect(page.next).toBe(page.items.at(-1)!.eventId);
    const rest = await list(page.next, 100);
    expect([...page.items, ...rest.items]).toEqual(all.flat());
  });

  it('that goes through thousands of events lets others have their turn in between', async () => {
    const { clock, eventStore, list } = await setUp(3, 300);
    const listing = list(null, 1_000);
    await settle();
    // Two payments of 604 events have been folded, and the third is waited with.
    expect([eventStore.reads.length, clock.pending]).toEqual([2, 1]);
    await clock.advance(0);
    expect((await listing).items).toHaveLength(903);
  });
});
