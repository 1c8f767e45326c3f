import type { ProjectionCommit, ProjectionStop, ProjectionVersion } from '../read-store';

/** A commit that only sets or clears the version's stop: no writes, and an unchanged checkpoint. */
export function stopCommit(
  { projection, version, declaredVersion, checkpoint }: ProjectionVersion,
  stop: ProjectionStop | null,
): ProjectionCommit {
  return { projection, version, declaredVersion, expected: checkpoint, next: checkpoint, writes: [], stop };
}
