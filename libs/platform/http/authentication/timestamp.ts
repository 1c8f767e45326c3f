/** How old a request may be, and how far its clock may be ahead of ours, in ms. */
export const MAX_AGE_MS = 300_000;
export const MAX_AHEAD_MS = 60_000;

const RFC_3339_UTC = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|\+00:00)$/;

/**
 * Milliseconds since the epoch of an RFC 3339 time in UTC, truncated; null for anything else. `Date.parse` would read
 * 30 February as 2 March and, without an offset, use the machine's time zone.
 */
export function parseTimestamp(text: string): number | null {
  const match = RFC_3339_UTC.exec(text);
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  // Refuses dates that do not exist, and years before 100, which `Date.UTC` reads as 19xx.
  const isSame =
    date.getUTCFullYear() === year &&
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === minute &&
    date.getUTCSeconds() === second;
  return isSame ? date.getTime() + Number((match[7] ?? '').slice(0, 3).padEnd(3, '0')) : null;
}

/** Whether the X-Timestamp is close enough to the server's time. */
export function isFresh(timestamp: string, nowMs: number): boolean {
  const timeMs = parseTimestamp(timestamp);
  return timeMs !== null && nowMs - timeMs <= MAX_AGE_MS && timeMs - nowMs <= MAX_AHEAD_MS;
}
