import type { Clock } from '@app/event-sourcing';
import type { Worker } from '@app/platform/lifecycle';
import type { WatchedEventStore } from '@app/stores/watched-event-store';

const ASK_EVERY_MS = 1_000;
/** How often the store is tried out, in ms: without requests, a lost right to write shows only this way. */
const TRY_OUT_EVERY_MS = 10_000;

export interface EventStoreWatchDependencies {
  readonly eventStore: Pick<WatchedEventStore, 'problem' | 'tryOut'>;
  readonly clock: Clock;
  /** Whether the store is tried out while it is not known to fail. */
  readonly triesOut: boolean;
}

/** Checks whether the event store can be used, like a readiness probe: not every process has one. */
export class EventStoreWatch implements Worker {
  readonly name = 'event store';

  constructor(private readonly deps: EventStoreWatchDependencies) {}

  async run(signal: AbortSignal): Promise<void> {
    const { eventStore, clock, triesOut } = this.deps;
    for (let tryAtMs = clock.monotonicMs(); !signal.aborted;) {
      const isFailing = eventStore.problem() !== null;
      if (triesOut && !isFailing && clock.monotonicMs() >= tryAtMs) {
        await eventStore.tryOut();
        tryAtMs = clock.monotonicMs() + TRY_OUT_EVERY_MS;
      }
      await clock.sleep(ASK_EVERY_MS, signal);
    }
  }
}
