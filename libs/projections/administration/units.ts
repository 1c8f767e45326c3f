import type { Projection } from '@app/event-sourcing';
import { wholeName } from '@app/projections/partitions';

/** All projections of this installation, one per partition. Also the injection token. */
export class ProjectionUnits {
  constructor(readonly projections: readonly Projection[]) {}

  /** The names of the whole projections, in their order. */
  get names(): readonly string[] {
    return [...new Set(this.projections.map(({ name }) => wholeName(name)))];
  }

  /** The projection's partitions, or itself if it is not partitioned; empty if there is no such projection. */
  of(projection: string): readonly Projection[] {
    return this.projections.filter(({ name }) => wholeName(name) === projection);
  }
}
