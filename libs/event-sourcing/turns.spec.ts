import { sha256Netstrings } from '@app/platform/lifecycle';
import { ManualClock, SeededRandom } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { CommandHandling } from './handle';
import { type CounterCommand, counterDecider } from './testing/counter';

const STREAM = 'counter-1';
const context = { correlationId: 'request-1', causationId: null, actor: 'merchant:m1' };
const count = (...by: number[]): CounterCommand => ({ type: 'Count', by });

/** Tells how often it was read. */
class CountingEventStore extends MemoryEventStore {
  reads = 0;
  beforeRead: (() => Promise<void>) | null = null;

  override async readStream(...args: Parameters<MemoryEventStore['readStream']>) {
    this.reads += 1;
    await this.beforeRead?.();
    return super.readStream(...args);
  }
}

function setUp() {
  const eventStore = new CountingEventStore();
  const handlingOf = (seed: number) =>
    new CommandHandling({
      eventStore,
      clock: new ManualClock(),
      random: new SeededRandom(seed),
      hash: sha256Netstrings,
    });
  const [handling, other] = [handlingOf(1), handlingOf(2)];
  const handle = (command: CounterCommand, by = handling) => by.handle(counterDecider, STREAM, command, context);
  return { eventStore, handle, other };
}

describe('commands on one stream that come at the same time', () => {
  it('are decided one after another, and the stream is read once', async () => {
    const { eventStore, handle } = setUp();
    const handled = await Promise.all(Array.from({ length: 10 }, () => handle(count(1))));
    expect(handled.map(({ kind, loaded }) => [kind, loaded.state])).toEqual(
      Array.from({ length: 10 }, (_, n) => ['accepted', n + 1]),
    );
    expect(eventStore.reads).toBe(1);
  });

  it('are refused only on what the store holds', async () => {
    const { eventStore, handle, other } = setUp();
    // Before the second one is refused, somebody else makes room.
    eventStore.beforeRead = async () => {
      if (eventStore.reads === 2) await handle(count(-10), other);
    };
    const [, next] = await Promise.all([handle(count(10)), handle(count(1))]);
    expect(next).toMatchObject({ kind: 'accepted', loaded: { state: 1 } });
    const refused = await Promise.all([handle(count(9)), handle(count(1))]);
    expect(refused.map(({ kind }) => kind)).toEqual(['accepted', 'rejected']);
  });

  it('find what others wrote between their turns', async () => {
    const { eventStore, handle, other } = setUp();
    await handle(count(1));
    const append = eventStore.append.bind(eventStore);
    let appends = 0;
    eventStore.append = async (...args) => {
      appends += 1;
      const result = await append(...args);
      if (appends === 1) await handle(count(2), other);
      return result;
    };
    const handled = await Promise.all([handle(count(1)), handle(count(1))]);
    expect(handled.map(({ loaded }) => loaded.state)).toEqual([2, 5]);
  });

  it('are not told of what the one before could not do', async () => {
    const { eventStore, handle } = setUp();
    const append = eventStore.append.bind(eventStore);
    eventStore.append = async () => {
      eventStore.append = append;
      throw new Error('the store is away');
    };
    const [first, second] = await Promise.allSettled([handle(count(1)), handle(count(2))]);
    expect(first).toMatchObject({ status: 'rejected' });
    expect(second).toMatchObject({ status: 'fulfilled', value: { loaded: { state: 2 } } });
  });
});
