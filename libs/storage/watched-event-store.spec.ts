import { EventStoreUnavailableError, WrongExpectedRevisionError } from '@app/kernel';
import { ManualClock, settle } from '@app/runtime/testing';
import { describeEventStoreContract } from './contracts/event-store.contract';
import { MemoryEventStore } from './memory/event-store';
import { WatchedEventStore } from './watched-event-store';

const event = (id: string) => ({ id, type: 'Counted', data: '{}', metadata: '{}' });

describeEventStoreContract('WatchedEventStore', async () => {
  const store = new WatchedEventStore(new MemoryEventStore(), new ManualClock(), async () => undefined);
  return { store, dispose: () => store.close() };
});

describe('WatchedEventStore', () => {
  it('has a problem from the first append that fails to the next that is stored', async () => {
    const inner = new MemoryEventStore();
    const store = new WatchedEventStore(inner, new ManualClock(), () => Promise.reject(new Error('disk full')));
    expect(store.problem()).toBeNull();
    const append = inner.append.bind(inner);
    inner.append = () => Promise.reject(new EventStoreUnavailableError('disk full'));
    await expect(store.append('s-1', 'no-stream', [event('a')])).rejects.toThrow(EventStoreUnavailableError);
    expect(store.problem()).toBe('events cannot be stored');
    await settle();

    inner.append = () => Promise.reject(new WrongExpectedRevisionError('s-1', 'no stream', 1));
    await expect(store.append('s-1', 'no-stream', [event('a')])).rejects.toThrow(WrongExpectedRevisionError);
    expect(store.problem()).toBe('events cannot be stored');

    inner.append = append;
    await store.append('s-1', 'no-stream', [event('a')]);
    expect(store.problem()).toBeNull();
  });

  it.each<[string, (store: WatchedEventStore) => Promise<unknown>]>([
    ['a stream', (store) => store.readStream('s-1')],
    ['the log', (store) => store.readAll({ after: null, filter: { streamPrefixes: [''] }, maxCount: 1 })],
    ['the head', (store) => store.head()],
    ['a subscription', (store) => firstOf(store.subscribe(FROM_THE_START))],
  ])(
    'has a problem from the moment in which %s cannot be read until a probe succeeds, and tells of both once',
    async (_what, read) => {
      const inner = new MemoryEventStore();
      const told: (string | null)[] = [];
      const clock = new ManualClock();
      let probe: () => Promise<unknown> = () => Promise.reject(new Error('away'));
      const store = new WatchedEventStore(
        inner,
        clock,
        () => probe(),
        (problem) => told.push(problem),
      );
      await inner.close();
      await expect(read(store)).rejects.toThrow(EventStoreUnavailableError);
      await expect(read(store)).rejects.toThrow(EventStoreUnavailableError);
      expect(store.problem()).toBe('events cannot be read');
      await settle();
      expect(told).toEqual(['events cannot be read']);

      probe = async () => undefined;
      await clock.advance(1_000);
      expect(store.problem()).toBe('events cannot be read');
      await settle();
      expect(store.problem()).toBeNull();
      expect(told).toEqual(['events cannot be read', null]);
    },
  );
});

const FROM_THE_START = {
  after: null,
  filter: { streamPrefixes: [''] },
  maxBatch: 1,
  signal: new AbortController().signal,
};

async function firstOf<T>(batches: AsyncIterable<T>): Promise<T | undefined> {
  for await (const batch of batches) return batch;
  return undefined;
}
