import type { Clock } from './environment';

/** A wait that was begun by a later clock is cut short, but one never lasts longer than twice its time, or than this beyond it. */
const MAX_TOLERANCE_MS = 5 * 60_000;

/**
 * Something waits until a stored time. It may have been stored under another clock, so the stored beginning counts too: a clock that
 * shows less than that has been put back, or is another machine's, and tells nothing of how long has been waited.
 */
export interface Wait {
  /** In ms since the epoch. Before this the wait can't have begun; null where the end is a promised date, which only time brings. */
  readonly waitsFromMs: number | null;
  readonly dueAtMs: number;
}

/** Due at once, whatever the clock shows: `recordedAtMs` tells no more than who has waited longest. */
export function dueAtOnce(recordedAtMs: number): Wait {
  return { waitsFromMs: recordedAtMs, dueAtMs: recordedAtMs };
}

/** Due at a promised date. */
export function dueOn(dueAtMs: number): Wait {
  return { waitsFromMs: null, dueAtMs };
}

/**
 * Due after a delay that began at `sinceMs`, by the clock of whoever put it off. How much earlier another clock may show it to be: as
 * long as the delay. So clocks of several machines may differ by that much without anything being done too early.
 */
export function dueAfter(sinceMs: number, dueAtMs: number): Wait {
  const delayMs = Math.max(0, dueAtMs - sinceMs);
  return { waitsFromMs: sinceMs - Math.min(delayMs, MAX_TOLERANCE_MS), dueAtMs };
}

/** Whether it is over. Stores answer the same of their lists: see `ReadStore.endVoidWaits`. */
export function isOver({ waitsFromMs, dueAtMs }: Wait, clock: Pick<Clock, 'nowMs' | 'settledMs'>): boolean {
  const settledMs = clock.settledMs();
  if (settledMs >= dueAtMs) return true;
  if (waitsFromMs === null) return false;
  return waitsFromMs >= dueAtMs || clock.nowMs() < waitsFromMs;
}
