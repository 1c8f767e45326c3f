import type { Clock, Random } from '@app/event-sourcing';
import { EventStoreDbFailure } from './failures';

const FIRST_BACKOFF_MS = 25;
const MAX_BACKOFF_MS = 500;

/**
 * Retries after failures that may pass, at growing intervals, for `withinMs`; the last attempt begins at the end of
 * that time. Once `ended` is aborted, nothing is retried. Only for calls that are safe to repeat.
 *
 * @throws the last attempt's error
 */
export async function persistently<T>(
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  withinMs: number,
  attempt: () => Promise<T>,
  ended?: AbortSignal,
): Promise<T> {
  const startedAtMs = clock.monotonicMs();
  for (let backoffMs = FIRST_BACKOFF_MS; ; backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof EventStoreDbFailure) || !error.isTransient) throw error;
      const leftMs = startedAtMs + withinMs - clock.monotonicMs();
      if (leftMs <= 0) throw error;
      await clock.sleep(Math.min(leftMs, backoffMs * (0.5 + random.fraction())), ended);
      if (ended?.aborted === true) throw error;
    }
  }
}
