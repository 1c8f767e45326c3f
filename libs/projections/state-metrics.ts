import type {
  Clock,
  CollectionName,
  EventMetadata,
  EventStore,
  Projection,
  ProjectionVersion,
  ReadStore,
  RecordedEvent,
} from '@app/kernel';
import type { Metrics } from '@app/runtime';

/** A projection that is further behind is shown as behind by this many events. */
export const MAX_EVENTS_COUNTED = 1_000;

export interface StateMetricsDependencies {
  readonly eventStore: EventStore;
  readonly readStore: ReadStore;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly projections: readonly Projection[];
  /** To-do lists, by the names under which they are measured. */
  readonly lists: Readonly<Record<string, CollectionName>>;
}

/**
 * Measures how far each projection is behind the log, and what stands on each to-do list. It asks the log itself, so that a
 * projection which has stopped shows a growing lag. It reads at most `MAX_EVENTS_COUNTED` events for each projection.
 */
export async function sampleState(deps: StateMetricsDependencies): Promise<void> {
  const { readStore, clock, metrics, projections, lists } = deps;
  for (const projection of projections) await sampleLag(projection, deps);
  for (const [name, list] of Object.entries(lists)) {
    const [items, dueAtMs] = [await readStore.depth(list), await readStore.nextDueAtMs(list)];
    metrics.todoList(name, items, dueAtMs === null ? 0 : Math.max(0, clock.nowMs() - dueAtMs) / 1_000);
  }
}

async function sampleLag(projection: Projection, deps: StateMetricsDependencies): Promise<void> {
  const lag = await lagBehind(projection, await deps.readStore.active(projection.name), deps);
  deps.metrics.projectionLag(projection.name, lag.ms / 1_000, lag.events);
}

/** How far something is behind the log. */
export interface Lag {
  /** Events that are still to come; `MAX_EVENTS_COUNTED` stands for as many or more. */
  readonly events: number;
  /** How long ago the first of them was recorded; 0 when there is none. */
  readonly ms: number;
}

/** How far the version is behind the log; null stands for nothing projected yet. @throws EventStoreUnavailableError */
export async function lagBehind(
  { streamPrefixes }: Projection,
  version: ProjectionVersion | null,
  { eventStore, clock }: Pick<StateMetricsDependencies, 'eventStore' | 'clock'>,
): Promise<Lag> {
  const { events } = await eventStore.readAll({
    after: version?.checkpoint?.position ?? null,
    filter: { streamPrefixes },
    maxCount: MAX_EVENTS_COUNTED,
  });
  const [oldest] = events;
  const ms = oldest === undefined ? 0 : Math.max(0, clock.nowMs() - recordedAtMs(oldest));
  return { events: events.length, ms };
}

function recordedAtMs({ metadata }: RecordedEvent): number {
  return Date.parse((JSON.parse(metadata) as EventMetadata).recordedAt);
}
