import { isoTime } from '@app/event-sourcing';
import { parseTimestamp } from './authentication/timestamp';
import { ApiError } from './errors/api-error';

const OFFSET = /([+-])([01]\d|2[0-3]):([0-5]\d)$/;

/** The last time with a four-digit year: later ones would sort before all others. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Milliseconds since the epoch of an RFC 3339 time with any offset, truncated; null for anything else. */
export function parseTime(text: string): number | null {
  const [offset, sign, hours, minutes] = OFFSET.exec(text) ?? [];
  if (offset === undefined) return parseTimestamp(text);
  const localMs = parseTimestamp(`${text.slice(0, -offset.length)}Z`);
  if (localMs === null) return null;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return Math.min(sign === '+' ? localMs - offsetMs : localMs + offsetMs, LAST_MS);
}

/**
 * The time rounded up to whole milliseconds. Stored times have milliseconds, so each of them is before this value
 * exactly if it is before the given time.
 */
function parseTimeUp(text: string): number | null {
  const ms = parseTime(text);
  return ms !== null && /\.\d{3}\d*[1-9]/.test(text) ? Math.min(ms + 1, LAST_MS) : ms;
}

interface Range {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/**
 * The range in the spelling of stored times: `from` is inclusive, `to` exclusive, either may be open. Checks what no
 * schema can: that `to` is later than `from`.
 *
 * @param names of the fields that hold them.
 * @throws ApiError
 */
export function timeRangeOf({ from, to }: Range, names: { readonly from: string; readonly to: string }): Range {
  const [fromMs, toMs] = [from, to].map((text) => (text === undefined ? null : parseTimeUp(text)));
  if (typeof fromMs === 'number' && typeof toMs === 'number' && fromMs >= toMs) {
    const message = `This must be later than ${names.from}: it is the first moment that is no longer meant.`;
    throw new ApiError('VALIDATION_FAILED', { details: [{ field: names.to, code: 'INVALID_FORMAT', message }] });
  }
  const textOf = (ms: number | null | undefined) => (typeof ms === 'number' ? isoTime(ms) : undefined);
  return { from: textOf(fromMs), to: textOf(toMs) };
}
