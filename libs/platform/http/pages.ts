import { decodeCursor, encodeCursor } from './cursor';
import { ApiError } from './errors/api-error';
import { type PageQuery, pageSizeOf } from './query-parameters';

/** What every list answers. */
export interface PageBody<T> {
  readonly items: readonly T[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/**
 * A page of a list that is at hand as a whole.
 *
 * @param list names it, so that a cursor is good for nothing else.
 * @param keyOf tells an item from all others of the list.
 * @throws ApiError CURSOR_INVALID, also where the item is gone that the page before ended with.
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
