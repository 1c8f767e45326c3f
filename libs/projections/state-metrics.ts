import {
  behindTime,
  type Clock,
  type CollectionName,
  type EventBatch,
  eventsOf,
  type EventStore,
  type Projection,
  type ProjectionVersion,
  type ReadStore,
  type RecordedEvent,
  recordedAtMs,
  timeAt,
  TO_DO,
} from '@app/event-sourcing';
import type { Metrics } from '@app/platform/telemetry';
import { ONE_PARTITION, type Partitions } from './partitions';

/** The greatest lag shown, in events. */
export const MAX_EVENTS_COUNTED = 1_000;
/** The most due items shown per to-do list. */
export const MAX_ITEMS_COUNTED = 1_000;

export interface StateMetricsDependencies {
  readonly eventStore: EventStore;
  readonly readStore: ReadStore;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Whole projections, not partitions. */
  readonly projections: readonly Projection[];
  /** Their partitions; one when absent. */
  readonly partitions?: Partitions;
  /** To-do lists, by the names under which they are measured. */
  readonly lists: Readonly<Record<string, CollectionName>>;
}

/**
 * Measures the lag of each projection, per partition, and the due items of each to-do list. Reads the log
 * itself, so that a projection that has stopped or has no projector shows a growing lag. Reads at most
 * `MAX_EVENTS_COUNTED` events at a time.
 */
export async function sampleState(deps: StateMetricsDependencies): Promise<void> {
  const { projections, lists } = deps;
  for (const projection of projections) await sampleLags(projection, deps);
  for (const [name, list] of Object.entries(lists)) await sampleList(name, list, deps);
}

async function sampleLags(projection: Projection, deps: StateMetricsDependencies): Promise<void> {
  const { readStore, partitions = ONE_PARTITION } = deps;
  const names = partitions.names(projection.name);
  const versions = await Promise.all(names.map((name) => readStore.versions(name)));
  const positions = versions.map(({ active }) => active?.checkpoint?.position ?? null);
  // Partitions are mostly at similar positions: then one read serves them all.
  const first = positions.reduce(
    (least, position) => (isAfter(least, position) ? position : least),
    positions[0] ?? null,
  );
  const { events, caughtUp } = await behind(projection, first, deps);
  for (const [index, name] of names.entries()) {
    const position = positions[index] ?? null;
    const own =
      caughtUp || position === first
        ? events.filter((event) => isAfter(event.position, position))
        : (await behind(projection, position, deps)).events;
    measureLag(name, own, deps);
  }
}

/** The next events for the projection, up to `MAX_EVENTS_COUNTED`; pages of large events hold fewer than requested. */
async function behind(
  projection: Projection,
  after: bigint | null,
  { eventStore }: Pick<StateMetricsDependencies, 'eventStore'>,
): Promise<Pick<EventBatch, 'events' | 'caughtUp'>> {
  const events: RecordedEvent[] = [];
  for (let from = after; ;) {
    const maxCount = MAX_EVENTS_COUNTED - events.length;
    const page = await eventStore.readAll({ after: from, filter: eventsOf(projection), maxCount });
    events.push(...page.events);
    if (page.caughtUp || events.length === MAX_EVENTS_COUNTED) return { events, caughtUp: page.caughtUp };
    from = page.position;
  }
}

function measureLag(name: string, events: readonly RecordedEvent[], deps: StateMetricsDependencies): void {
  deps.metrics.projectionLag(name, lagMs(events, deps) / 1_000, events.length);
}

/** How far something is behind the log. */
export interface Lag {
  /** Unprocessed events; `MAX_EVENTS_COUNTED` means that many or more. */
  readonly events: number;
  /** The age of the first of them, in ms; 0 if there is none. */
  readonly ms: number;
}

/** The version's lag; a `version` of null has projected nothing yet. @throws EventStoreUnavailableError */
export async function lagBehind(
  projection: Projection,
  version: ProjectionVersion | null,
  deps: Pick<StateMetricsDependencies, 'eventStore' | 'clock'>,
): Promise<Lag> {
  const { events } = await behind(projection, version?.checkpoint?.position ?? null, deps);
  return { events: events.length, ms: lagMs(events, deps) };
}

/** By the first event with a recording time: foreign events may lack one. */
function lagMs(events: readonly RecordedEvent[], { clock }: Pick<StateMetricsDependencies, 'clock'>): number {
  for (const event of events) {
    const atMs = recordedAtMs(event);
    if (atMs !== null) return Math.max(0, clock.nowMs() - atMs);
  }
  return 0;
}

async function sampleList(name: string, list: CollectionName, deps: StateMetricsDependencies): Promise<void> {
  const { metrics, partitions = ONE_PARTITION } = deps;
  const due = (await Promise.all(partitions.collections(list).map((each) => dueItems(each, deps)))).flat();
  const overdueMs = Math.max(0, ...due.map((dueAtMs) => deps.clock.settledMs() - dueAtMs));
  metrics.todoList(name, Math.min(due.length, MAX_ITEMS_COUNTED), overdueMs / 1_000);
}

/**
 * The due times of all items due now, in ms since the epoch. Includes items in progress: an item that always fails is
 * often in progress.
 */
async function dueItems(
  name: CollectionName,
  { readStore, clock }: StateMetricsDependencies,
): Promise<readonly number[]> {
  const request = { name, direction: 'ascending' as const, after: null, limit: MAX_ITEMS_COUNTED };
  const pages = await Promise.all([
    readStore.page({ ...request, list: TO_DO.now }),
    readStore.page({ ...request, list: TO_DO.later, until: behindTime(clock.settledMs()) }),
  ]);
  return pages.flat().map(({ order }) => timeAt(order));
}

function isAfter(a: bigint | null, b: bigint | null): boolean {
  return (a ?? -1n) > (b ?? -1n);
}
