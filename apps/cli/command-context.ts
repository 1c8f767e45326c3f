import type { Clock } from '@app/event-sourcing';
import { CliError, EXIT } from './cli-error';
import type { Listed, OperatorApi } from './operator-api';
import type { Output } from './output';

export interface CommandContext {
  /** Created when needed, so that a wrong argument is reported before a missing token. */
  readonly api: () => OperatorApi;
  readonly output: Output;
  readonly clock: Clock;
}

export const LIST_OPTIONS = { limit: { type: 'string' }, json: { type: 'boolean' } } as const;
const DEFAULT_LIMIT = 100;

/** The first items of a list, read page by page. @throws CliError */
export async function listed<T>(
  api: OperatorApi,
  path: string,
  filter: Readonly<Record<string, string | undefined>>,
  limit: string | undefined,
): Promise<Listed<T>> {
  const wanted = limit === undefined ? DEFAULT_LIMIT : Number(limit);
  if (!Number.isSafeInteger(wanted) || wanted < 1) {
    throw new CliError('--limit must be a whole number from 1.', EXIT.usage);
  }
  return api.listUpTo(path, wanted, filter);
}

/** With --json the API's response; otherwise human-readable text. */
export function show(output: Output, json: boolean | undefined, value: unknown, describe: () => string): void {
  output.line(json === true ? JSON.stringify(value, null, 2) : describe());
}
