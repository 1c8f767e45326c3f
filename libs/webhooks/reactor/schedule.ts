/** When a failed webhook is retried. The last retry comes about three days after the first attempt. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The delay after each failed attempt, before jitter; one more failure exhausts the delivery. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

export const MAX_ATTEMPTS = RETRY_DELAYS_MS.length + 1;

/**
 * Retries are spread by this share of the delay, in both directions, so that simultaneous failures don't return
 * together.
 */
const JITTER = 0.2;
/** A receiver may ask for more time, but can't postpone a retry beyond this multiple of the delay. */
const MAX_STRETCH = 2;

/** The longest effective `Retry-After`; longer ones are read as this. */
const MAX_RETRY_AFTER_MS = MAX_STRETCH * Math.max(...RETRY_DELAYS_MS);

export interface FailedAttempt {
  /** The number of the attempt that has just failed, 1 for the first. */
  readonly attempt: number;
  readonly nowMs: number;
  /** A random number in [0, 1). */
  readonly jitter: number;
  /** The delay that the receiver asked for, in milliseconds from now; null if it asked for none. */
  readonly retryAfterMs: number | null;
}

/**
 * The time of the next attempt, in whole milliseconds since the Unix epoch. `Retry-After` is honoured between one and
 * two times the planned delay.
 */
export function nextAttemptAtMs({ attempt, nowMs, jitter, retryAfterMs }: FailedAttempt): number | 'exhausted' {
  if (!Number.isInteger(attempt) || attempt < 1) throw new RangeError(`attempt ${attempt}: attempts count from 1`);
  if (!(jitter >= 0 && jitter < 1)) throw new RangeError(`jitter ${jitter} is not in [0, 1)`);
  const baseMs = RETRY_DELAYS_MS[attempt - 1];
  if (baseMs === undefined) return 'exhausted';
  const spreadMs = baseMs * (1 - JITTER + 2 * JITTER * jitter);
  if (retryAfterMs === null) return nowMs + Math.round(spreadMs);
  const askedMs = Math.min(Math.max(retryAfterMs, baseMs), baseMs * MAX_STRETCH);
  return nowMs + Math.round(Math.max(askedMs, spreadMs));
}

/**
 * Parses a `Retry-After` header (RFC 9110: seconds, or a date in any of its three forms) as milliseconds from now, at
 * least 0 and at most two days; null if it is absent or malformed.
 */
export function parseRetryAfter(header: string | null | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * SECOND, MAX_RETRY_AFTER_MS);
  const atMs = parseHttpDate(text, nowMs);
  return atMs === null ? null : Math.min(Math.max(atMs - nowMs, 0), MAX_RETRY_AFTER_MS);
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MONTH = `(?<month>${MONTHS.join('|')})`;
const TIME = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)';
const HTTP_DATES = [
  new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\\d\\d) ${MONTH} (?<year>\\d{4}) ${TIME} GMT$`),
  new RegExp(`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\\d\\d)-${MONTH}-(?<year>\\d\\d) ${TIME} GMT$`),
  new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ${MONTH} (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})$`),
];

/** Not `Date.parse`, which accepts many more formats, some as local time, and 30 February. */
function parseHttpDate(text: string, nowMs: number): number | null {
  const parts = HTTP_DATES.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (parts === undefined) return null;
  const number = (name: string) => Number(parts[name]);
  const month = MONTHS.indexOf(parts['month'] ?? '');
  let year = number('year');
  if (parts['year']?.length === 2) {
    // A two-digit year that appears to be more than 50 years ahead means the past century (RFC 9110, 5.6.7).
    const thisYear = new Date(nowMs).getUTCFullYear();
    year += thisYear - (thisYear % 100);
    if (year > thisYear + 50) year -= 100;
  }
  if (number('hour') > 23 || number('minute') > 59 || number('second') > 60) return null;
  const midnight = new Date(0);
  midnight.setUTCFullYear(year, month, number('day'));
  if (midnight.getUTCMonth() !== month) return null;
  return midnight.getTime() + number('hour') * HOUR + number('minute') * MINUTE + number('second') * SECOND;
}
