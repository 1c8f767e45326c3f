import type { Clock, Random } from '@app/kernel';
import { EventStoreDbFailure } from './failures';

const FIRST_BACKOFF_MS = 25;
const MAX_BACKOFF_MS = 500;

/**
 * Tries again, later and later, after failures that may pass, for `withinMs`: the last attempt begins at the end of that time,
 * and is waited for. Once `hurry` is aborted, nothing is tried again. Only for what can be repeated without harm.
 *
 * @throws what the last attempt failed with
 */
export async function persistently<T>(
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  withinMs: number,
  attempt: () => Promise<T>,
  hurry?: AbortSignal,
): Promise<T> {
  const startedAtMs = clock.monotonicMs();
  for (let backoffMs = FIRST_BACKOFF_MS; ; backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof EventStoreDbFailure) || !error.isTransient) throw error;
      const leftMs = startedAtMs + withinMs - clock.monotonicMs();
      if (leftMs <= 0) throw error;
      await clock.sleep(Math.min(leftMs, backoffMs * (0.5 + random.fraction())), hurry);
      if (hurry?.aborted === true) throw error;
    }
  }
}
