import {
  type Projection,
  type ProjectionVersion,
  type ReadStore,
  type RecordedEvent,
  runProjector,
} from '@app/event-sourcing';
import { noneSkipped, observing } from '@app/event-sourcing/testing/observer';
import { ManualClock } from '@app/platform/testing';
import type { MemoryEventStore } from '@app/stores/testing/memory-event-store';

/** Appends the events in their order; the store gives them positions of its own. */
export async function append(eventStore: MemoryEventStore, events: readonly RecordedEvent[]): Promise<void> {
  for (const { streamId, revision, id, type, data, metadata } of events) {
    await eventStore.append(streamId, revision === 0 ? 'no-stream' : revision - 1, [{ id, type, data, metadata }]);
  }
}

/** Runs the projectors until each has come to the end of the log, or has stopped. */
export async function projectAll(
  eventStore: MemoryEventStore,
  readStore: ReadStore,
  projections: readonly Projection[],
  skipped: (projection: string) => Promise<ReadonlySet<string>> = noneSkipped,
): Promise<void> {
  const head = (await eventStore.head()) ?? -1n;
  for (const projection of projections) {
    const stop = new AbortController();
    const committed = ({ checkpoint, stop: stopped }: ProjectionVersion) => {
      if (stopped !== null || (checkpoint?.position ?? -1n) >= head) stop.abort();
    };
    const deps = { eventStore, readStore, clock: new ManualClock(), observer: observing({ committed }), skipped };
    await runProjector(projection, deps, stop.signal);
  }
}
