/*
 * Stored events are a storage format: never rename a type or a field, never change a meaning. Add optional fields only;
 * otherwise raise the schema version in ./schemas.ts, add an upcaster and a spec that holds the old JSON.
 */
import type { DomainEvent } from '@app/event-sourcing';

/** A projection ignores an event that it cannot apply, now and in every rebuild. */
export type ProjectionEventSkipped = DomainEvent<
  'ProjectionEventSkipped',
  {
    /** The whole projection's name, even if one of its partitions had stopped. */
    readonly projection: string;
    /** The event's position in the log, in decimal: it may not fit into a number. */
    readonly position: string;
    readonly eventId: string;
    readonly eventType: string;
    readonly streamId: string;
    readonly revision: number;
    /** Given by the operator. */
    readonly reason: string;
  }
>;

export type ProjectionRepairEvent = ProjectionEventSkipped;
