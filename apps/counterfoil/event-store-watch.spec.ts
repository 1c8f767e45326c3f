import { EventStoreUnavailableError } from '@app/event-sourcing';
import { ManualClock } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { WatchedEventStore } from '@app/stores/watched-event-store';
import { EventStoreWatch } from './event-store-watch';

function watch(triesOut: boolean) {
  const clock = new ManualClock();
  const world: { isAway: boolean; tries: number } = { isAway: false, tries: 0 };
  const told: (string | null)[] = [];
  const eventStore = new WatchedEventStore(new MemoryEventStore(), clock, {
    probe: async () => {
      world.tries += 1;
      if (world.isAway) throw new EventStoreUnavailableError('away');
    },
    tell: (one) => void told.push(one?.problem ?? null),
  });
  const abort = new AbortController();
  const run = new EventStoreWatch({ eventStore, clock, triesOut }).run(abort.signal);
  const end = async () => {
    abort.abort();
    await run;
  };
  return { clock, world, told, eventStore, end };
}

describe('the watch on the event store', () => {
  it('notices within seconds, without readiness probes, that the store cannot be used and that it can again', async () => {
    const { clock, world, told, end } = watch(true);
    await clock.advance(1_000);
    world.isAway = true;
    await clock.advance(10_000);
    expect(told).toEqual(['events cannot be stored']);
    world.isAway = false;
    await clock.advance(2_000);
    expect(told).toEqual(['events cannot be stored', null]);
    await end();
  });

  it('does not try out an embedded log while nothing fails', async () => {
    const { clock, world, end } = watch(false);
    await clock.advance(60_000);
    expect(world.tries).toBe(0);
    await end();
  });
});
