import type { AsOf } from '@app/audit/replay/as-of';
import { parseTime } from '@app/platform/http/times';
import { CliError, EXIT } from '../cli-error';

export const AS_OF_OPTION = { 'as-of': { type: 'string' } } as const;

export const AS_OF_HELP = `--as-of is a time such as 2026-01-31T23:59:59.999Z, or a position of the log: what was recorded later is left out.`;

/** @throws CliError */
export function parseAsOf(text: string | undefined): AsOf {
  if (text === undefined) return { kind: 'end' };
  if (/^\d{1,20}$/.test(text)) return { kind: 'position', position: BigInt(text) };
  const ms = parseTime(text);
  if (ms !== null) return { kind: 'time', ms };
  throw new CliError(`--as-of: ${text} is neither a time with its offset nor a position.\n\n${AS_OF_HELP}`, EXIT.usage);
}
