import type { Decider } from '@app/event-sourcing';
import type { ProjectionRepairEvent } from './events';
import { decide, evolve, type SkippedEventIds, type SkipProjectionEvent } from './projection-repair';
import { projectionRepairSchemas } from './schemas';

export * from './events';
export type { SkippedEventIds, SkipProjectionEvent } from './projection-repair';
export { projectionRepairSchemas } from './schemas';

/** The stream that records the operator's interventions in a projection, all partitions together. */
export function projectionStreamId(projection: string): string {
  return `projection-${projection}`;
}

export const projectionRepairDecider: Decider<SkippedEventIds, SkipProjectionEvent, ProjectionRepairEvent, never> = {
  schemas: projectionRepairSchemas,
  initialState: new Set(),
  passesOverForeign: true,
  evolve,
  decide,
};
