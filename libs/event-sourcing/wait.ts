import type { Clock } from './environment';

/** A wait that began under a later clock is cut short. It never lasts longer than twice its time, or this much more. */
const MAX_TOLERANCE_MS = 5 * 60_000;

/**
 * A wait for a stored time. It may have begun under another clock, so its beginning is stored too: a clock that shows
 * less than that was put back, or belongs to another machine, and says nothing about the time waited.
 */
export interface Wait {
  /** In ms since the epoch: the earliest time at which the wait can have begun; null if the end is a promised date. */
  readonly waitsFromMs: number | null;
  readonly dueAtMs: number;
}

/** Due at once, whatever the clock shows. `recordedAtMs` only tells who has waited longest. */
export function dueAtOnce(recordedAtMs: number): Wait {
  return { waitsFromMs: recordedAtMs, dueAtMs: recordedAtMs };
}

/** Due at a promised date. */
export function dueOn(dueAtMs: number): Wait {
  return { waitsFromMs: null, dueAtMs };
}

/**
 * Due after a delay that began at `sinceMs`, by the clock of whoever put it off. Another clock may show an earlier time
 * by as much as the delay, so clocks of several machines may differ by that much without early work.
 */
export function dueAfter(sinceMs: number, dueAtMs: number): Wait {
  const delayMs = Math.max(0, dueAtMs - sinceMs);
  return { waitsFromMs: sinceMs - Math.min(delayMs, MAX_TOLERANCE_MS), dueAtMs };
}

/** Whether the wait is over. Stores answer the same for their lists: see `ReadStore.endVoidWaits`. */
export function isOver({ waitsFromMs, dueAtMs }: Wait, clock: Pick<Clock, 'nowMs' | 'settledMs'>): boolean {
  const settledMs = clock.settledMs();
  if (settledMs >= dueAtMs) return true;
  if (waitsFromMs === null) return false;
  return waitsFromMs >= dueAtMs || clock.nowMs() < waitsFromMs;
}
