import type { Clock } from './environment';

/**
 * A wait that began under a later clock is cut short: it lasts at most twice its delay, and at most this much longer.
 */
const MAX_TOLERANCE_MS = 5 * 60_000;

/**
 * A wait for a stored time. It may have begun under another clock, so its start is stored too: a clock that shows an
 * earlier time was set back, or belongs to another machine, and cannot tell how long the wait has lasted.
 */
export interface Wait {
  /** In ms since the epoch: the earliest time at which the wait can have begun; null if the end is a promised date. */
  readonly waitsFromMs: number | null;
  readonly dueAtMs: number;
}

/** Due at once, whatever the clock shows. `recordedAtMs` only tells which item has waited longest. */
export function dueAtOnce(recordedAtMs: number): Wait {
  return { waitsFromMs: recordedAtMs, dueAtMs: recordedAtMs };
}

/** Due at a promised date. */
export function dueOn(dueAtMs: number): Wait {
  return { waitsFromMs: null, dueAtMs };
}

/**
 * Due after a delay that began at `sinceMs`, by the clock of whoever deferred it. Another machine's clock may be behind
 * by as much as the delay (at most `MAX_TOLERANCE_MS`) without the work being done early.
 */
export function dueAfter(sinceMs: number, dueAtMs: number): Wait {
  const delayMs = Math.max(0, dueAtMs - sinceMs);
  return { waitsFromMs: sinceMs - Math.min(delayMs, MAX_TOLERANCE_MS), dueAtMs };
}

/** Whether the wait is over. The lists of a to-do list find the same items: see `TO_DO`. */
export function isOver({ waitsFromMs, dueAtMs }: Wait, clock: Pick<Clock, 'nowMs' | 'settledMs'>): boolean {
  const settledMs = clock.settledMs();
  if (settledMs >= dueAtMs) return true;
  if (waitsFromMs === null) return false;
  return waitsFromMs >= dueAtMs || clock.nowMs() < waitsFromMs;
}
