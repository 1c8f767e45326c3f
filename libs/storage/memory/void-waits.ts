import type { ClockReading, Due } from '@app/kernel';

/** Whether the wait was begun by another clock than this one: see `ReadStore.endVoidWaits`. */
export function isVoid({ waitsFromMs = null, dueAtMs }: Due, { wallMs, settledMs }: ClockReading): boolean {
  if (waitsFromMs === null) return false;
  return waitsFromMs >= dueAtMs ? dueAtMs > settledMs : waitsFromMs > wallMs;
}
