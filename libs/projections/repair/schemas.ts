import type { EventSchemas } from '@app/event-sourcing';
import type { ProjectionRepairEvent } from './events';

/** The current schema version of every event in a projection's stream, with upcasters for older ones. */
export const projectionRepairSchemas: EventSchemas<ProjectionRepairEvent> = {
  ProjectionEventSkipped: { version: 1 },
};
