import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { ManualClock, SeededRandom } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import * as fc from 'fast-check';
import type { CommandContext } from './handle';
import { CommandHandling } from './handle';
import { type CounterCommand, counterDecider } from './testing/counter';

const context: CommandContext = { correlationId: 'r', causationId: null, actor: 'spec' };
const countBy = (...by: readonly number[]): CounterCommand => ({ type: 'Count', by });
const ups = (count: number) => countBy(...Array<number>(count).fill(0));

/** Records the number of events of each read, and can replace another store, as after a restore. */
class CountingEventStore extends MemoryEventStore {
  readonly given: number[] = [];
  instead: MemoryEventStore | null = null;

  override async readStream(...args: Parameters<MemoryEventStore['readStream']>) {
    const events = this.instead === null ? await super.readStream(...args) : await this.instead.readStream(...args);
    this.given.push(events.length);
    return events;
  }
}

function setUp() {
  const eventStore = new CountingEventStore();
  const clock = new ManualClock();
  const another = (store: MemoryEventStore, seed: number) =>
    new CommandHandling({ eventStore: store, clock, random: new SeededRandom(seed), proofs: new SpecProofs() });
  return { eventStore, handling: another(eventStore, 1), another };
}

describe('a long stream', () => {
  it('is read from its start once, and from its last event after that', async () => {
    const { eventStore, handling } = setUp();
    await handling.handle(counterDecider, 'counter-1', ups(100), context);
    for (let count = 0; count < 50; count += 1) await handling.handle(counterDecider, 'counter-1', countBy(0), context);
    expect(eventStore.given).toEqual([0, ...Array<number>(50).fill(1)]);
    const fresh = setUp().another(eventStore, 3);
    const read = eventStore.given.length;
    for (let count = 0; count < 3; count += 1) await fresh.load(counterDecider, 'counter-1');
    expect(eventStore.given.slice(read)).toEqual([150, 1, 1]);
  });

  it('has the same state as if read from its start, whoever writes to it', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(2), fc.constantFrom(1, -1), fc.integer({ min: 1, max: 40 })), { maxLength: 12 }),
        async (writes) => {
          const { eventStore, handling, another } = setUp();
          const writers = [handling, another(eventStore, 2), another(eventStore, 3)];
          for (const [writer, by, count] of writes) {
            const command = countBy(...Array<number>(count).fill(0), by);
            const handled = await writers[writer]!.handle(counterDecider, 'counter-1', command, context);
            const whole = await another(eventStore, 4).load(counterDecider, 'counter-1');
            expect(handled.loaded).toEqual(whole);
            expect(await handling.load(counterDecider, 'counter-1')).toEqual(whole);
          }
        },
      ),
      { numRuns: 30 },
    ));

  it('is read from its start again after another stream has replaced it', async () => {
    const { eventStore, handling, another } = setUp();
    await handling.handle(counterDecider, 'counter-1', countBy(1, ...Array<number>(99).fill(0)), context);
    const restored = new MemoryEventStore();
    await another(restored, 9).handle(counterDecider, 'counter-1', countBy(2, ...Array<number>(149).fill(0)), context);
    eventStore.instead = restored;
    expect(await handling.load(counterDecider, 'counter-1')).toMatchObject({ state: 2, last: { revision: 149 } });
    eventStore.instead = new MemoryEventStore();
    expect(await handling.load(counterDecider, 'counter-1')).toEqual({ state: 0, last: null });
  });

  it('is cached for one decider only', async () => {
    const { handling } = setUp();
    await handling.handle(counterDecider, 'counter-1', countBy(1, ...Array<number>(99).fill(0)), context);
    const doubling = { ...counterDecider, initialState: 100 };
    expect((await handling.load(doubling, 'counter-1')).state).toBe(101);
    expect((await handling.load(counterDecider, 'counter-1')).state).toBe(1);
  });
});

it('only the last few long streams are cached', async () => {
  const { eventStore, handling } = setUp();
  await handling.handle(counterDecider, 'counter-short', ups(10), context);
  for (let n = 0; n < 17; n += 1) await handling.handle(counterDecider, `counter-${n}`, ups(64), context);
  eventStore.given.length = 0;
  for (const name of ['short', '1', '16', '0']) await handling.load(counterDecider, `counter-${name}`);
  expect(eventStore.given).toEqual([10, 1, 1, 64]);
});
