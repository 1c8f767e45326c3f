import { accepted, type Decision, type StoredEvent } from '@app/event-sourcing';
import type { ProjectionEventSkipped, ProjectionRepairEvent } from './events';

/** Ids of the events that the projection skips. */
export type SkippedEventIds = ReadonlySet<string>;

/** Skips an event for good. */
export type SkipProjectionEvent = { readonly type: 'SkipProjectionEvent' } & ProjectionEventSkipped['data'];

/** An event is skipped only once; the first reason stands. */
export function decide(
  { type: _type, ...data }: SkipProjectionEvent,
  skipped: SkippedEventIds,
): Decision<ProjectionRepairEvent, never> {
  return skipped.has(data.eventId)
    ? accepted()
    : accepted<ProjectionRepairEvent>({ type: 'ProjectionEventSkipped', data });
}

export function evolve(skipped: SkippedEventIds, { data }: StoredEvent<ProjectionRepairEvent>): SkippedEventIds {
  return new Set(skipped).add(data.eventId);
}
