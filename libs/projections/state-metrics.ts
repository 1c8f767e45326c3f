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

/** A projection that is further behind is shown as behind by this many events. */
export const MAX_EVENTS_COUNTED = 1_000;
/** A to-do list with more due items is shown with as many. */
export const MAX_ITEMS_COUNTED = 1_000;

export interface StateMetricsDependencies {
  readonly eventStore: EventStore;
  readonly readStore: ReadStore;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Whole ones. */
  readonly projections: readonly Projection[];
  /** In which parts they are built; one when absent. */
  readonly partitions?: Partitions;
  /** To-do lists, by the names under which they are measured. */
  readonly lists: Readonly<Record<string, CollectionName>>;
}

/**
 * Measures how far each projection, or each of its parts, is behind the log, and what stands on each to-do list. It asks the log
 * itself, so that a projection which has stopped, or that nobody follows, shows a growing lag. It reads at most
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
  // Parts are mostly as far as each other: one read then tells of all.
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

/** The next events for the projection, up to `MAX_EVENTS_COUNTED`; one page of the log holds fewer of large ones. */
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
  /** Events that are still to come; `MAX_EVENTS_COUNTED` stands for as many or more. */
  readonly events: number;
  /** How long ago the first of them was recorded; 0 when there is none. */
  readonly ms: number;
}

/** How far the version is behind the log; null stands for nothing projected yet. @throws EventStoreUnavailableError */
export async function lagBehind(
  projection: Projection,
  version: ProjectionVersion | null,
  deps: Pick<StateMetricsDependencies, 'eventStore' | 'clock'>,
): Promise<Lag> {
  const { events } = await behind(projection, version?.checkpoint?.position ?? null, deps);
  return { events: events.length, ms: lagMs(events, deps) };
}

/** By the first event that tells when it was recorded: one of others need not. */
function lagMs(events: readonly RecordedEvent[], { clock }: Pick<StateMetricsDependencies, 'clock'>): number {
  for (const event of events) {
    const atMs = recordedAtMs(event);
    if (atMs !== null) return Math.max(0, clock.nowMs() - atMs);
  }
  return 0;
}

async function sampleList(name: string, list: CollectionName, deps: StateMetricsDependencies): Promise<void> {
  const { metrics, partitions = ONE_PARTITION } = deps;
  const due = (await Promise.all(partitions.collections(list).map((part) => dueItems(part, deps)))).flat();
  const overdueMs = Math.max(0, ...due.map((dueAtMs) => deps.clock.settledMs() - dueAtMs));
  metrics.todoList(name, Math.min(due.length, MAX_ITEMS_COUNTED), overdueMs / 1_000);
}

/** When those items that are due now fell due, in ms since the epoch; in hand or not, since one that fails each time is in hand again and again. */
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
