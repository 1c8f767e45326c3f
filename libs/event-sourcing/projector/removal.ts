import type { Projection } from '../projection';
import type { ProjectorDependencies } from './ports';

/** Between two pieces of what is removed, so that it takes little of the store's time. */
const REMOVAL_PAUSE_MS = 5;

/** Removes what the versions that are neither read nor being built have left, until there is nothing more or `signal` is aborted. */
export async function removeOld(
  projection: Projection,
  { readStore, clock }: ProjectorDependencies,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && (await readStore.removeOld(projection.name))) await clock.sleep(REMOVAL_PAUSE_MS, signal);
}
