import { settle } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import type { EventBatch } from '../event-store';
import type { Collection, Projection } from '../projection';
import type { CollectionName, Document, DocumentWrite } from '../read-store';
import { counterDecider, type CounterEvent } from '../testing/counter';
import { RecordingReadStore, setUp, start, stopAll } from '../testing/projectors';
import { FOLLOWING, ownEvent } from '../testing/recorded-events';
import { BatchSlices, SLICE_SIZE } from './batch-slices';
import { MAX_COMMIT_SIZE, PendingCommit } from './pending-commit';
import { GENERATION_SIZE, RecentDocuments } from './recent-documents';
import { sized } from './sized-write';

const LARGE = 100_000;
const COUNTERS = 120;
const NAME = { projection: 'notes', collection: 'notes' };

/** Documents as large as the first note of their counter, which every later event leaves as large. */
const notes: Collection<Document & { readonly total: number }, CounterEvent> = {
  name: 'notes',
  key: (event) => event.streamId,
  evolve(document, event) {
    if (event.type === 'Reset') return null;
    const { by, note } = event.data;
    return document === null ? { note, total: by } : { ...document, total: document.total + by };
  },
};
const notesProjection = {
  name: 'notes',
  streamPrefixes: ['counter-'],
  schemas: counterDecider.schemas,
  collections: [notes],
} as unknown as Projection;

class MeasuringReadStore extends RecordingReadStore {
  readonly reads: number[] = [];

  override async getMany(name: CollectionName, keys: readonly string[], version?: number) {
    const documents = await super.getMany(name, keys, version);
    this.reads.push(JSON.stringify(documents).length);
    return documents;
  }

  sizes(): readonly number[] {
    return this.commits.map(({ writes }) => JSON.stringify(writes).length);
  }
}

const append = (eventStore: MemoryEventStore, n: number, revision: number, note: string) =>
  eventStore.append(`counter-${n}`, revision === 0 ? 'no-stream' : revision - 1, [
    ownEvent(`${n}-${revision}`, 'Counted', { by: 1, note }, revision === 0 ? {} : FOLLOWING),
  ]);
const all = <T>(work: (n: number) => T): T[] => Array.from({ length: COUNTERS }, (_, n) => work(n));
const keys = all((n) => `counter-${n}`);
const documentsWith = (total: number) => all((n) => ({ note: String(n % 10).repeat(LARGE), total }));

afterEach(stopAll);

describe('large documents', () => {
  it('are committed a few at a time, and none is lost', async () => {
    const eventStore = new MemoryEventStore();
    for (const n of keys.keys()) await append(eventStore, n, 0, String(n % 10).repeat(LARGE));
    for (const n of keys.keys()) await append(eventStore, n, 1, '');
    const readStore = new MeasuringReadStore();
    const parts = setUp(eventStore, readStore);
    start(parts, 1, notesProjection);
    await settle(2_000);
    expect(await readStore.getMany(NAME, keys)).toEqual(documentsWith(2));
    // How large they are is known once the first part was projected.
    const [, ...sizes] = readStore.sizes();
    expect(sizes.length).toBeGreaterThan((COUNTERS * LARGE) / MAX_COMMIT_SIZE);
    expect(Math.max(...sizes)).toBeLessThan(MAX_COMMIT_SIZE + 2 * SLICE_SIZE);
    expect(readStore.commits.at(-1)?.next).toMatchObject({ events: 2 * COUNTERS });
  });

  it('are read a few at a time for small events', async () => {
    const eventStore = new MemoryEventStore();
    for (const n of keys.keys()) await append(eventStore, n, 0, String(n % 10).repeat(LARGE));
    const readStore = new MeasuringReadStore();
    const first = start(setUp(eventStore, readStore), 1, notesProjection);
    await settle(2_000);
    first.stop.abort();
    await first.ended;
    for (const n of keys.keys()) await append(eventStore, n, 1, '');
    readStore.reads.length = 0;
    start(setUp(eventStore, readStore), 1, notesProjection);
    await settle(2_000);
    const [, ...reads] = readStore.reads;
    expect(reads.length).toBeGreaterThan(10);
    expect(Math.max(...reads)).toBeLessThan(2 * SLICE_SIZE);
    expect(await readStore.getMany(NAME, keys)).toEqual(documentsWith(2));
  });
});

const write = (key: string, characters: number): DocumentWrite => ({
  collection: 'notes',
  key,
  document: { note: 'x'.repeat(characters) },
  listEntries: [],
});
const batch = (length: number, caughtUp = true): EventBatch => {
  const events = Array.from({ length }, (_, n) => ({
    id: `e-${n}`,
    type: 'Counted',
    data: '{}',
    metadata: '{}',
    streamId: 'counter-1',
    revision: n,
    position: BigInt(10 * n),
  }));
  return { events, position: BigInt(10 * length + 5), caughtUp };
};

describe('a pending commit', () => {
  it('is full of what is written in the end, however often it was written before', async () => {
    const pending = new PendingCommit();
    const add = (...writes: DocumentWrite[]) => pending.add(batch(1), new Set(), async () => writes.map(sized));
    for (let n = 0; n < 10; n += 1) await add(write('a', MAX_COMMIT_SIZE / 2));
    expect(pending.isFull).toBe(false);
    await add(write('b', MAX_COMMIT_SIZE / 2));
    expect(pending.isFull).toBe(true);
    expect(pending.take(null)?.writes).toHaveLength(2);
    expect(pending.isFull).toBe(false);
  });
});

describe('recent documents', () => {
  const nameOf = (key: string) => sized(write(key, 0)).name;
  const third = GENERATION_SIZE / 3;

  it('are those of the last two generations', () => {
    const recent = new RecentDocuments();
    for (let n = 0; n < 9; n += 1) recent.keep([sized(write(`k-${n}`, third))]);
    const known = Array.from({ length: 9 }, (_, n) => recent.get(nameOf(`k-${n}`)) !== undefined);
    expect(known).toEqual([false, false, false, true, true, true, true, true, true]);
  });

  it('don’t go because one of them is written again and again, which is known as it was written last', () => {
    const recent = new RecentDocuments();
    recent.keep([sized(write('other', 1))]);
    for (let n = 0; n < 9; n += 1) recent.keep([sized(write('same', third - n))]);
    expect(recent.get(nameOf('other'))).toEqual({ note: 'x' });
    expect(recent.get(nameOf('same'))).toEqual({ note: 'x'.repeat(third - 8) });
    recent.keep([sized({ ...write('same', 0), document: null })]);
    expect(recent.get(nameOf('same'))).toBeNull();
  });
});

describe('the parts of a batch', () => {
  it('are its events in their order, the last one as the batch ends', () => {
    const whole = batch(1_000);
    const parts = [...new BatchSlices().of(whole)];
    expect(parts.length).toBeGreaterThan(10);
    expect(parts.flatMap(({ events }) => events)).toEqual(whole.events);
    for (const { events, position, caughtUp } of parts.slice(0, -1)) {
      expect({ position, caughtUp }).toEqual({ position: events.at(-1)?.position, caughtUp: false });
    }
    expect(parts.at(-1)).toMatchObject({ position: whole.position, caughtUp: true });
  });

  it('are the batch itself where it is small, or empty', () => {
    for (const small of [batch(0), batch(3, false)]) expect([...new BatchSlices().of(small)]).toEqual([small]);
  });

  it('grow with small documents, and shrink with large ones, down to a single event', () => {
    const parts = new BatchSlices();
    const lengths = (size: (events: number) => number) => {
      const found: number[] = [];
      for (const { events } of parts.of(batch(1_000))) {
        found.push(events.length);
        parts.measured(events.length, size(events.length));
      }
      return found;
    };
    const growing = lengths((events) => events);
    expect(growing.slice(0, 3)).toEqual([32, 64, 128]);
    expect(Math.max(...growing)).toBe(256);
    expect(lengths((events) => (events * SLICE_SIZE) / 8).slice(1)).toContain(8);
    expect(lengths((events) => events * 2 * SLICE_SIZE).at(-1)).toBe(1);
  });
});
