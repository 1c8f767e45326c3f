import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { ManualClock, SeededRandom } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { CommandHandling } from './handle';
import { type CounterCommand, counterDecider } from './testing/counter';

const STREAM = 'counter-1';
const context = { correlationId: 'request-1', causationId: null, actor: 'merchant:m1' };
const count = (...by: number[]): CounterCommand => ({ type: 'Count', by });

/** Counts its reads. */
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
      proofs: new SpecProofs(),
    });
  const [handling, other] = [handlingOf(1), handlingOf(2)];
  const handle = (command: CounterCommand, by = handling) => by.handle(counterDecider, STREAM, command, context);
  return { eventStore, handle, other };
}

describe('simultaneous commands on one stream', () => {
  it('are decided one after another, with one read of the stream', async () => {
    const { eventStore, handle } = setUp();
    const handled = await Promise.all(Array.from({ length: 10 }, () => handle(count(1))));
    expect(handled.map(({ kind, loaded }) => [kind, loaded.state])).toEqual(
      Array.from({ length: 10 }, (_, n) => ['accepted', n + 1]),
    );
    expect(eventStore.reads).toBe(1);
  });

  it('are rejected only on the stored state', async () => {
    const { eventStore, handle, other } = setUp();
    // Before the second one is rejected, another process makes room.
    eventStore.beforeRead = async () => {
      if (eventStore.reads === 2) await handle(count(-10), other);
    };
    const [, next] = await Promise.all([handle(count(10)), handle(count(1))]);
    expect(next).toMatchObject({ kind: 'accepted', loaded: { state: 1 } });
    const refused = await Promise.all([handle(count(9)), handle(count(1))]);
    expect(refused.map(({ kind }) => kind)).toEqual(['accepted', 'rejected']);
  });

  it('see what others wrote between their turns', async () => {
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

  it('do not see the events of a failed predecessor', async () => {
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
