import { EventStoreUnavailableError } from '@app/event-sourcing';
import { describeEventStoreContract } from '@app/stores/contracts/event-store.contract';
import { MemoryEventStore } from './memory-event-store';

describeEventStoreContract('MemoryEventStore', async () => {
  const store = new MemoryEventStore();
  return { store, dispose: () => store.close() };
});

describe('MemoryEventStore', () => {
  it('is empty at first', async () => {
    const store = new MemoryEventStore();
    expect(await store.head()).toBeNull();
    const filter = { streamPrefixes: [''] };
    expect(await store.readAll({ after: null, filter, maxCount: 1 })).toEqual({
      events: [],
      position: null,
      caughtUp: true,
    });
  });

  it('ends its subscriptions with an error when it is closed', async () => {
    const store = new MemoryEventStore();
    const { signal } = new AbortController();
    const filter = { streamPrefixes: [''] };
    const batches = store.subscribe({ after: null, filter, maxBatch: 1, signal });
    expect((await batches.next()).value).toMatchObject({ caughtUp: true });
    const waiting = batches.next();
    await store.close();
    await expect(waiting).rejects.toBeInstanceOf(EventStoreUnavailableError);
    await expect(store.head()).rejects.toBeInstanceOf(EventStoreUnavailableError);
  });
});
