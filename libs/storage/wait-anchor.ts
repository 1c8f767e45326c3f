import type { Due } from '@app/kernel';

/**
 * By which one index finds all void waits, at its two ends: for an item that is due at once its due time, void while that is ahead of
 * the clock; for one that waits, `waitsFromMs` below zero, void while it is below the clock's time below zero; nothing for a promised date.
 */
export function waitAnchor({ waitsFromMs = null, dueAtMs }: Due): number | null {
  if (waitsFromMs === null) return null;
  return waitsFromMs >= dueAtMs ? dueAtMs : -waitsFromMs;
}
