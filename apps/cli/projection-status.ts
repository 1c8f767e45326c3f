import type { Partition, Projection, Stop, Version } from './projections-api';
import { duration, grouped, table } from './table';

const COLUMNS = [
  { title: 'PROJECTION' },
  { title: 'STATUS' },
  { title: 'VERSION', align: 'right' },
  { title: 'POSITION', align: 'right' },
  { title: 'EVENTS', align: 'right' },
  { title: 'BEHIND' },
  { title: 'REBUILD' },
] as const;
const NOTHING = '-';
/** The service counts up to this number. */
const MAX_EVENTS_COUNTED = 1_000;

/** The status of all projections: one line per partition, and what to do if one has stopped. */
export function describeProjections(projections: readonly Projection[]): string {
  const rows = projections.flatMap(({ partitions }) => partitions.map(rowOf));
  return [...table(COLUMNS, rows), ...projections.flatMap(describeStops)].join('\n');
}

/** Where a projection has stopped, and which commands help; empty if it is running. */
export function describeStops({ name, partitions }: Projection): readonly string[] {
  const stops = partitions.flatMap(({ name: part, active, building }) => [
    ...(active?.stopped ? [{ what: part, stop: active.stopped }] : []),
    ...(building?.stopped ? [{ what: `the rebuild of ${part}`, stop: building.stopped }] : []),
  ]);
  const positions = [...new Set(stops.map(({ stop }) => stop.position))];
  const commands = positions.map(
    (position) => `  counterfoil projections skip ${name} --position ${position} --reason "..."`,
  );
  return stops.length === 0
    ? []
    : [
        ...stops.flatMap(({ what, stop }) => ['', ...describeStop(what, stop)]),
        '',
        `Try again, or skip the event for good:`,
        `  counterfoil projections retry ${name}`,
        ...commands,
      ];
}

function describeStop(what: string, { position, eventType, streamId, revision, reason, since }: Stop): string[] {
  return [
    `${what} has stopped at position ${position}, since ${since}:`,
    `  event   ${eventType} ${streamId}@${revision}`,
    `  reason  ${reason}`,
  ];
}

function rowOf({ name, status, active, building }: Partition): readonly string[] {
  const way = status === 'BUILDING' && active !== null ? progressOf(active) : null;
  return [
    name,
    status.toLowerCase() + (way === null ? '' : ` ${way}`),
    active === null ? NOTHING : String(active.version),
    active?.position ?? NOTHING,
    active === null ? NOTHING : grouped(active.events),
    active === null ? NOTHING : behind(active.lagEvents, active.lagSeconds),
    building === null ? NOTHING : describeBuild(building),
  ];
}

function behind(events: number, seconds: number): string {
  if (events === 0) return NOTHING;
  const counted = events >= MAX_EVENTS_COUNTED ? `${grouped(events)} or more` : grouped(events);
  return `${counted} ${events === 1 ? 'event' : 'events'}, ${duration(seconds)}`;
}

function describeBuild(building: Version & { readonly cause: string }): string {
  const why = building.cause === 'VERSION_CHANGED' ? 'its declared version has changed' : 'requested';
  const state = building.stopped === null ? progressOf(building) : `stopped, ${progressOf(building)}`;
  return `version ${building.version}: ${state} (${why})`;
}

/** Such as `41.6 %, 49,100 events, 2 s left`. */
export function progressOf({
  percent,
  events,
  secondsLeft,
}: Pick<Version, 'percent' | 'events' | 'secondsLeft'>): string {
  const parts = [
    ...(percent === null ? [] : [`${percent.toFixed(1)} %`]),
    `${grouped(events)} ${events === 1 ? 'event' : 'events'}`,
    ...(secondsLeft === null ? [] : [`${duration(secondsLeft)} left`]),
  ];
  return parts.join(', ');
}
