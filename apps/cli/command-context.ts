import type { Clock } from '@app/event-sourcing';
import { CliError, EXIT } from './cli-error';
import type { OperatorApi } from './operator-api';
import type { Output } from './output';

export interface CommandContext {
  /** Made when it is needed: a wrong argument is told before a missing token is. */
  readonly api: () => OperatorApi;
  readonly output: Output;
  readonly clock: Clock;
}

export const LIST_OPTIONS = { limit: { type: 'string' }, json: { type: 'boolean' } } as const;
const DEFAULT_LIMIT = 100;
/** The API gives no more at once. */
const MAX_PAGE_SIZE = 100;

export interface Listed<T> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
}

/** The first items of a list, page by page. @throws CliError */
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
  const given = Object.entries(filter).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const items: T[] = [];
  for (let cursor: string | null = null; ;) {
    const parameters = new URLSearchParams({ limit: String(Math.min(MAX_PAGE_SIZE, wanted - items.length)) });
    for (const [name, value] of given) parameters.set(name, value);
    if (cursor !== null) parameters.set('cursor', cursor);
    const query = parameters.toString();
    const page: { readonly items: readonly T[]; readonly nextCursor: string | null } = await api.get(
      `${path}?${query}`,
    );
    items.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === null || items.length >= wanted) return { items, hasMore: cursor !== null };
  }
}

/** What the API answered, with --json; else as people read it. */
export function show(output: Output, json: boolean | undefined, value: unknown, describe: () => string): void {
  output.line(json === true ? JSON.stringify(value, null, 2) : describe());
}
