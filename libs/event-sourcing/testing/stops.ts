import { stopCommit } from '../projector/stop-commit';
import type { ProjectionStop, ReadStore } from '../read-store';

/** Sets or clears the stop of an existing version. */
export async function noteStop(
  readStore: ReadStore,
  projection: string,
  version: number,
  stop: ProjectionStop | null,
): Promise<void> {
  const { active, building } = await readStore.versions(projection);
  const found = [active, building].find((each) => each?.version === version);
  if (!found) throw new Error(`${projection} has no version ${version}`);
  expect(await readStore.commit(stopCommit(found, stop))).toBe('committed');
}
