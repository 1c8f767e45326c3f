import type { Projection } from '@app/kernel';

/** What this installation projects, each partition by itself, and by which code. Also its injection token. */
export class ProjectionUnits {
  constructor(
    readonly projections: readonly Projection[],
    /** What a rebuild is begun with: the code of this release. */
    readonly codeHash: string,
  ) {}

  /** The whole projections' names, in their order. */
  get names(): readonly string[] {
    return [...new Set(this.projections.map(({ name }) => wholeProjectionName(name)))];
  }

  /** The projection's partitions, or itself; empty when there is no such projection. */
  of(projection: string): readonly Projection[] {
    return this.projections.filter(({ name }) => wholeProjectionName(name) === projection);
  }
}

/** The projection that a partition is of, such as `payments` of `payments:0/4`; its own name where there are none. */
export function wholeProjectionName(unit: string): string {
  const end = unit.indexOf(':');
  return end === -1 ? unit : unit.slice(0, end);
}
