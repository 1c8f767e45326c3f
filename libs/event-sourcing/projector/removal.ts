import type { Projection } from '../projection';
import type { ProjectorDependencies } from './ports';

/** The pause between two removals, so that they take little of the store's time. */
const REMOVAL_PAUSE_MS = 5;

/** Removes what dead versions have left, until nothing is left or `signal` is aborted. */
export async function removeOld(
  projection: Projection,
  { readStore, clock }: ProjectorDependencies,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && (await readStore.removeOld(projection.name))) await clock.sleep(REMOVAL_PAUSE_MS, signal);
}
