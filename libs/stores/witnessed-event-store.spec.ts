import {
  type AppendResult,
  type EventBatch,
  EventStore,
  EventStoreUnavailableError,
  type EventToAppend,
  type ExpectedRevision,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  StreamDeletedError,
} from '@app/event-sourcing';
import { describeEventStoreContract } from '@app/stores/contracts/event-store.contract';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { WitnessedEventStore } from './witnessed-event-store';

const event = (id: string): EventToAppend => ({ id, type: 'Counted', data: '{}', metadata: '{}' });
const EVERYTHING = { after: null, filter: { streamPrefixes: [''] } };

/** A server's address: its server can be unavailable, have another log, or have lost a stream. */
class Address extends EventStore {
  log: EventStore = new MemoryEventStore();
  isAway = false;
  readonly deleted = new Set<string>();

  override append(
    streamId: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
  ): Promise<AppendResult> {
    return this.reached().append(streamId, expected, events);
  }

  override async readStream(streamId: string, options?: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    if (this.deleted.has(streamId)) throw new StreamDeletedError(streamId);
    return this.reached().readStream(streamId, options);
  }

  override async readAll(options: ReadAllOptions): Promise<EventBatch> {
    return this.reached().readAll(options);
  }

  override subscribe(options: Parameters<EventStore['subscribe']>[0]): AsyncIterable<EventBatch> {
    return this.reached().subscribe(options);
  }

  override async head(): Promise<bigint | null> {
    return this.reached().head();
  }

  override close(): Promise<void> {
    return this.log.close();
  }

  private reached(): EventStore {
    if (this.isAway) throw new EventStoreUnavailableError('away');
    return this.log;
  }
}

describeEventStoreContract('WitnessedEventStore', async () => {
  const store = new WitnessedEventStore(new MemoryEventStore());
  return { store, dispose: () => store.close() };
});

describe('WitnessedEventStore', () => {
  let address: Address;
  let store: WitnessedEventStore;

  beforeEach(() => {
    address = new Address();
    store = new WitnessedEventStore(address);
  });

  /** A log with the counted events up to `last`. */
  async function logUpTo(last: number, prefix = 'e'): Promise<EventStore> {
    const log = new MemoryEventStore();
    for (let n = 0; n <= last; n += 1) await log.append(`s-${n}`, 'no-stream', [event(`${prefix}${n}`)]);
    return log;
  }

  it('accepts any log before it has seen an event', async () => {
    await expect(store.holdsWhatWasSeen()).resolves.toBe(true);
    address.log = await logUpTo(3);
    await expect(store.holdsWhatWasSeen()).resolves.toBe(true);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['appended', () => store.append('s-4', 'no-stream', [event('e4')])],
    ['read in its stream', () => store.readStream('s-3')],
    ['read backwards', () => store.readStream('s-3', { direction: 'backwards' })],
    ['read in the log', () => store.readAll({ ...EVERYTHING, maxCount: 10 })],
    ['followed', () => firstOf(store.subscribe({ ...EVERYTHING, maxBatch: 10, signal: new AbortController().signal }))],
  ])('misses what was %s when the log went back, even once it has outgrown its old size', async (_how, see) => {
    address.log = await logUpTo(3);
    await see();
    await expect(store.holdsWhatWasSeen()).resolves.toBe(true);
    address.log = await logUpTo(2);
    await expect(store.holdsWhatWasSeen()).resolves.toBe(false);
    for (let n = 0; n < 5; n += 1) await address.log.append(`other-${n}`, 'no-stream', [event(`o${n}`)]);
    await expect(store.holdsWhatWasSeen()).resolves.toBe(false);
  });

  it('misses everything if the log is empty, or another one of the same shape', async () => {
    address.log = await logUpTo(3);
    await store.readAll({ ...EVERYTHING, maxCount: 10 });
    address.log = new MemoryEventStore();
    await expect(store.holdsWhatWasSeen()).resolves.toBe(false);
    address.log = await logUpTo(3, 'x');
    await expect(store.holdsWhatWasSeen()).resolves.toBe(false);
  });

  it('misses a position that it has only heard of, such as the head of a log of others', async () => {
    address.log = await logUpTo(3);
    await store.readStream('s-0');
    await store.head();
    await expect(store.holdsWhatWasSeen()).resolves.toBe(true);
    address.log = await logUpTo(1);
    await expect(store.holdsWhatWasSeen()).resolves.toBe(false);
  });

  it('is not misled by what the other log returns meanwhile', async () => {
    address.log = await logUpTo(3);
    await store.readAll({ ...EVERYTHING, maxCount: 10 });
    address.log = await logUpTo(2);
    await expect(store.holdsWhatWasSeen()).resolves.toBe(false);
    for (let n = 0; n < 5; n += 1) await address.log.append(`other-${n}`, 'no-stream', [event(`o${n}`)]);
    await store.readAll({ ...EVERYTHING, maxCount: 10 });
    await store.head();
    await expect(store.holdsWhatWasSeen()).resolves.toBe(false);
  });

  it('does not take a deleted stream for a log that went back', async () => {
    address.log = await logUpTo(3);
    await store.readAll({ ...EVERYTHING, maxCount: 10 });
    address.deleted.add('s-3');
    await expect(store.holdsWhatWasSeen()).resolves.toBe(true);
  });

  it('stores nothing after an outage before the log was found to be the same', async () => {
    await store.append('s-0', 'no-stream', [event('e0')]);
    const same = address.log;
    address.isAway = true;
    await expect(store.head()).rejects.toThrow(EventStoreUnavailableError);
    address.isAway = false;

    address.log = await logUpTo(0, 'x');
    await expect(store.append('s-1', 'no-stream', [event('e1')])).rejects.toThrow(EventStoreUnavailableError);
    await expect(address.log.readStream('s-1')).resolves.toEqual([]);

    address.log = same;
    await expect(store.append('s-1', 'no-stream', [event('e1')])).resolves.toMatchObject({ revision: 0 });
  });

  it('refuses everything once told to', async () => {
    store.refuse('starting over');
    for (const call of [
      () => store.append('s-1', 'no-stream', [event('e1')]),
      () => store.readStream('s-1'),
      () => store.readAll({ ...EVERYTHING, maxCount: 1 }),
      () => firstOf(store.subscribe({ ...EVERYTHING, maxBatch: 1, signal: new AbortController().signal })),
      () => store.head(),
    ]) {
      await expect(call()).rejects.toThrow(new EventStoreUnavailableError('starting over'));
    }
    await expect(address.log.readStream('s-1')).resolves.toEqual([]);
  });
});

async function firstOf<T>(batches: AsyncIterable<T>): Promise<T | undefined> {
  for await (const batch of batches) return batch;
  return undefined;
}
