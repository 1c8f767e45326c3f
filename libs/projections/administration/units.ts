import type { Projection } from '@app/event-sourcing';
import { wholeName } from '@app/projections/partitions';

/** What this installation projects, each partition by itself. Also its injection token. */
export class ProjectionUnits {
  constructor(readonly projections: readonly Projection[]) {}

  /** The whole projections' names, in their order. */
  get names(): readonly string[] {
    return [...new Set(this.projections.map(({ name }) => wholeName(name)))];
  }

  /** The projection's partitions, or itself; empty when there is no such projection. */
  of(projection: string): readonly Projection[] {
    return this.projections.filter(({ name }) => wholeName(name) === projection);
  }
}
