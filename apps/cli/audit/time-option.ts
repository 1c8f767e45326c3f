import { isoTime } from '@app/event-sourcing';
import { parseTime } from '@app/platform/http/times';
import { CliError, EXIT } from '../cli-error';

export const TIME_HELP = 'A time is RFC 3339, such as 2026-01-31T12:00:00Z, or a day, which begins at 00:00 UTC.';

/** The time in the spelling of stored times; undefined if it is not given. @throws CliError */
export function timeOption(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const ms = parseTime(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
  if (ms === null) throw new CliError(`--${name} is no time. ${TIME_HELP}`, EXIT.usage);
  return isoTime(ms);
}
