import type { Clock, Random } from '@app/kernel';
import { EventStoreDbFailure } from './failures';

const FIRST_BACKOFF_MS = 25;
const MAX_BACKOFF_MS = 1_000;

/**
 * Tries again, later and later, after failures that may pass, for `withinMs`; an attempt that is under way by then is waited
 * for. Only for what can be repeated without harm.
 *
 * @throws what the last attempt failed with
 */
export async function persistently<T>(
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  withinMs: number,
  attempt: () => Promise<T>,
): Promise<T> {
  const startedAtMs = clock.monotonicMs();
  for (let backoffMs = FIRST_BACKOFF_MS; ; backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof EventStoreDbFailure) || !error.isTransient) throw error;
      const waitMs = backoffMs * (0.5 + random.fraction());
      if (clock.monotonicMs() + waitMs - startedAtMs >= withinMs) throw error;
      await clock.sleep(waitMs);
    }
  }
}
