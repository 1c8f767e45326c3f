import type { RetryReason } from '@app/payments/domain';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The delays before the first, second … retry; the last one repeats. */
const DELAYS_MS: Readonly<Record<RetryReason, readonly number[]>> = {
  // The first inquiry comes within 2 s, jitter included.
  OUTCOME_UNKNOWN: [1 * SECOND, 2 * SECOND, 5 * SECOND, 15 * SECOND, MINUTE, 5 * MINUTE],
  GATEWAY_UNAVAILABLE: [1 * SECOND, 2 * SECOND, 5 * SECOND, 15 * SECOND, MINUTE, 5 * MINUTE],
  GATEWAY_PENDING: [2 * SECOND, 4 * SECOND, 8 * SECOND, 15 * SECOND, MINUTE, 5 * MINUTE],
  CUSTOMER_PENDING: [40 * SECOND, 2 * MINUTE, 7 * MINUTE, 10 * MINUTE],
};

/**
 * When a retry is due, in ms since the epoch.
 *
 * @param attempt the number of the retry (from 1).
 * @param fraction random in [0, 1): spreads the delay by ±20 %.
 */
export function nextTryAtMs(reason: RetryReason, attempt: number, nowMs: number, fraction: number): number {
  const delays = DELAYS_MS[reason];
  const delayMs = delays[Math.min(attempt, delays.length) - 1] ?? MINUTE;
  return nowMs + Math.round(delayMs * (0.8 + 0.4 * fraction));
}
