import type { Document, ListEntry, Projection, RecordedEvent } from '@app/event-sourcing';
import { compareProjection } from '@app/audit/comparison/compare-projection';
import { TO_THE_END } from '@app/audit/replay/as-of';
import { replayPayment } from '@app/audit/replay/payment-replay';
import { digest } from '@app/event-sourcing/projector/document-writes';
import { noneSkipped } from '@app/event-sourcing/testing/observer';
import { isPaymentStream, paymentIdOfStream } from '@app/payments/domain';
import { ManualClock } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { MemoryReadStore } from '@app/stores/testing/memory-read-store';
import { PROJECTIONS } from './projections';
import { EVERY_EVENT } from './testing/every-event';
import { append, projectAll } from './testing/projected-log';

/** What is stored in the end, by collection and key. */
type Stored = ReadonlyMap<string, { readonly document: Document; readonly listEntries: readonly ListEntry[] }>;

function concerns({ streamPrefixes, types }: Projection, { streamId, type }: RecordedEvent): boolean {
  return streamPrefixes.some((prefix) => streamId.startsWith(prefix)) && (types?.includes(type) ?? true);
}

async function storedOf(projection: Projection, log: readonly RecordedEvent[], batch: number): Promise<Stored> {
  const stored = new Map<string, { readonly document: Document; readonly listEntries: readonly ListEntry[] }>();
  const read = async (collection: string, keys: readonly string[]) =>
    keys.map((key) => stored.get(`${collection} ${key}`)?.document ?? null);
  const events = log.filter((event) => concerns(projection, event));
  for (let from = 0; from < events.length; from += batch) {
    const { writes } = await digest(projection, events.slice(from, from + batch), read);
    for (const { collection, key, document, listEntries } of writes) {
      if (document === null) stored.delete(`${collection} ${key}`);
      else stored.set(`${collection} ${key}`, { document, listEntries });
    }
  }
  return stored;
}

const sorted = (stored: Stored) => [...stored].sort(([one], [other]) => (one < other ? -1 : 1));
const named = PROJECTIONS.map((projection) => [projection.name, projection] as const);

/** Events as a release before wrote them: this one calls amounts `amountMinor`, that one called them `amount`. */
const RENAMED: ReadonlySet<string> = new Set(['PaymentCreated', 'PaymentCaptured', 'RefundRequested']);

/** The projection of a release in which those events are of version 2, and can be read in version 1. */
function ofNewRelease(projection: Projection): Projection {
  const upcaster = (data: object) => {
    const { amount, ...rest } = data as { readonly amount: string };
    return { ...rest, amountMinor: amount };
  };
  const schemas = Object.entries(projection.schemas).map(([type, schema]) =>
    RENAMED.has(type) ? [type, { version: 2, upcasters: { 1: upcaster } }] : [type, schema],
  );
  return { ...projection, schemas: Object.fromEntries(schemas) as Projection['schemas'] };
}

function inVersion(event: RecordedEvent, version: 1 | 2): RecordedEvent {
  if (!RENAMED.has(event.type)) return event;
  const { amountMinor, ...rest } = JSON.parse(event.data) as { readonly amountMinor: string };
  const data = JSON.stringify(version === 1 ? { ...rest, amount: amountMinor } : { ...rest, amountMinor });
  const metadata = JSON.stringify({ ...(JSON.parse(event.metadata) as object), schemaVersion: version });
  return { ...event, data, metadata };
}

describe.each(named)('the read model %s', (_name, projection) => {
  it.each([2, 7, 1_000])('is the same whether it takes one event at a time or %d', async (batch) => {
    const oneByOne = await storedOf(projection, EVERY_EVENT, 1);
    expect(oneByOne.size).toBeGreaterThan(0);
    expect(sorted(await storedOf(projection, EVERY_EVENT, batch))).toEqual(sorted(oneByOne));
  });

  it('is the same from old events, from new ones, and from a log that mixes them', async () => {
    const expected = sorted(await storedOf(projection, EVERY_EVENT, 50));
    const logs = [
      EVERY_EVENT.map((event) => inVersion(event, 1)),
      EVERY_EVENT.map((event) => inVersion(event, 2)),
      EVERY_EVENT.map((event, index) => inVersion(event, index % 3 === 0 ? 1 : 2)),
    ];
    for (const log of logs) expect(sorted(await storedOf(ofNewRelease(projection), log, 50))).toEqual(expected);
  });
});

it('a rebuild over a log of mixed versions is what the comparison expects', async () => {
  const [eventStore, readStore] = [new MemoryEventStore(), new MemoryReadStore()];
  await append(
    eventStore,
    EVERY_EVENT.map((event, index) => inVersion(event, index % 2 === 0 ? 1 : 2)),
  );
  const projections = PROJECTIONS.map(ofNewRelease);
  await projectAll(eventStore, readStore, projections);
  for (const projection of projections) {
    const comparison = await compareProjection(projection, {
      eventStore,
      inspection: readStore.inspection,
      clock: new ManualClock(),
      skipped: noneSkipped,
      maxSize: 1e9,
      rest: () => Promise.resolve(),
    });
    expect(comparison).toMatchObject({ kind: 'compared', count: 0 });
  }
});

it('every old payment can be replayed to its end, and reads as its read model', async () => {
  const eventStore = new MemoryEventStore();
  await append(eventStore, EVERY_EVENT);
  const [payments] = PROJECTIONS;
  const stored = await storedOf(payments!, EVERY_EVENT, 1_000);
  const streams = new Set(EVERY_EVENT.map(({ streamId }) => streamId).filter(isPaymentStream));
  expect(streams.size).toBeGreaterThan(10);
  for (const streamId of streams) {
    const paymentId = paymentIdOfStream(streamId);
    const { events, damage } = await replayPayment({ eventStore, clock: new ManualClock() }, paymentId, TO_THE_END);
    expect(damage).toBeNull();
    expect(events).toHaveLength(EVERY_EVENT.filter((event) => event.streamId === streamId).length);
    expect(events.at(-1)?.after.shown.payment).toEqual(stored.get(`payment ${paymentId}`)?.document);
  }
});
