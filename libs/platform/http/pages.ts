import { decodeCursor, encodeCursor } from './cursor';
import { ApiError } from './errors/api-error';
import { type PageQuery, pageSizeOf } from './query-parameters';

/** The body of every list. */
export interface PageBody<T> {
  readonly items: readonly T[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/**
 * A page of a list that is completely in memory.
 *
 * @param list identifies the list, so that the cursor is valid for nothing else.
 * @param keyOf returns a key that is unique within the list.
 * @throws ApiError CURSOR_INVALID, also if the last item of the previous page no longer exists.
 */
export function pageOfAll<T>(
  list: string,
  all: readonly T[],
  page: PageQuery,
  keyOf: (item: T) => string,
): PageBody<T> {
  const start = page.cursor === undefined ? 0 : placeBehind(decodeCursor(list, page.cursor), all, keyOf);
  const end = start + pageSizeOf(page);
  const items = all.slice(start, end);
  const last = items.at(-1);
  return { items, nextCursor: end < all.length && last !== undefined ? encodeCursor(list, keyOf(last)) : null };
}

function placeBehind<T>(key: string, all: readonly T[], keyOf: (item: T) => string): number {
  const place = all.findIndex((item) => keyOf(item) === key);
  if (place === -1) throw new ApiError('CURSOR_INVALID');
  return place + 1;
}
