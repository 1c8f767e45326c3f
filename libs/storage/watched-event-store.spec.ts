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
});
