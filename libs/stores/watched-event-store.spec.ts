import { EventStoreUnavailableError, WrongExpectedRevisionError } from '@app/event-sourcing';
import { ManualClock, settle } from '@app/platform/testing';
import { describeEventStoreContract } from '@app/stores/contracts/event-store.contract';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { WatchedEventStore } from './watched-event-store';

const event = (id: string) => ({ id, type: 'Counted', data: '{}', metadata: '{}' });

describeEventStoreContract('WatchedEventStore', async () => {
  const store = new WatchedEventStore(new MemoryEventStore(), new ManualClock(), { probe: async () => undefined });
  return { store, dispose: () => store.close() };
});

describe('WatchedEventStore', () => {
  it('has a problem from the first failed append to the next successful one', async () => {
    const inner = new MemoryEventStore();
    const store = new WatchedEventStore(inner, new ManualClock(), {
      probe: () => Promise.reject(new Error('disk full')),
    });
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
    'has a problem from the moment %s cannot be read until a probe succeeds, and reports both once',
    async (_what, read) => {
      const inner = new MemoryEventStore();
      const told: (string | null)[] = [];
      const clock = new ManualClock();
      let probe: () => Promise<unknown> = () => Promise.reject(new Error('away'));
      const store = new WatchedEventStore(inner, clock, {
        probe: () => probe(),
        tell: (one) => told.push(one?.problem ?? null),
      });
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

  const denied = () => Promise.reject(new EventStoreUnavailableError('denied'));
  const obstacleIn = ({ message }: Error) => (message === 'denied' ? 'no right to write' : null);

  it('reports an obstacle once, until a probe shows that it is gone', async () => {
    const told: unknown[] = [];
    const clock = new ManualClock();
    let probe: () => Promise<unknown> = denied;
    const inner = new MemoryEventStore();
    const append = inner.append.bind(inner);
    inner.append = denied;
    const options = { probe: () => probe(), obstacleIn, tell: (one: unknown) => void told.push(one) };
    const store = new WatchedEventStore(inner, clock, options);
    for (let request = 0; request < 3; request += 1) {
      await expect(store.append('s-1', 'no-stream', [event('a')])).rejects.toThrow('denied');
      // A successful read changes nothing.
      await store.head();
      expect(store.problem()).toBe('no right to write');
      await clock.advance(1_000);
    }
    expect(told).toEqual([{ problem: 'no right to write', isObstacle: true }]);
    inner.append = append;
    probe = async () => undefined;
    await store.tryOut();
    expect(store.problem()).toBeNull();
    expect(told.slice(1)).toEqual([null]);
  });

  it('detects an obstacle before any call does, and one behind an outage', async () => {
    const told: unknown[] = [];
    let probe: () => Promise<unknown> = () => Promise.reject(new EventStoreUnavailableError('away'));
    const tell = (one: { readonly problem: string } | null) => void told.push(one?.problem ?? null);
    const options = { probe: () => probe(), obstacleIn, tell };
    const store = new WatchedEventStore(new MemoryEventStore(), new ManualClock(), options);
    expect(store.problem()).toBeNull();
    await store.tryOut();
    expect(store.problem()).toBe('events cannot be stored');
    probe = denied;
    await store.tryOut();
    await store.tryOut();
    expect(store.problem()).toBe('no right to write');
    expect(told).toEqual(['events cannot be stored', 'no right to write']);
  });
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
