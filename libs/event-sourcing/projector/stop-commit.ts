import type { ProjectionCommit, ProjectionStop, ProjectionVersion } from '../read-store';

/** Notes where the version stands still, or takes that away: it writes nothing and goes no further. */
export function stopCommit(
  { projection, version, declaredVersion, checkpoint }: ProjectionVersion,
  stop: ProjectionStop | null,
): ProjectionCommit {
  return { projection, version, declaredVersion, expected: checkpoint, next: checkpoint, writes: [], stop };
}
