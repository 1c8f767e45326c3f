/** So many items on a page, or in a batch, cost as much of the limit as one more request. */
export const ITEMS_FOR_ONE = 10;
/** What a list shows where the request doesn't say how much of it is wanted. */
export const DEFAULT_PAGE_SIZE = 20;
/** The most that a page or a batch holds; a request for more is refused, whatever it cost. */
const MAX_ITEMS = 100;

/** What of a request tells how many items it asks for: its page's size, or the identifiers in its body. */
export type CostBasis = 'limit' | 'paymentIds';

/** How many requests of the limit one that asks for so many items counts as. */
export function costOf(items: number): number {
  return 1 + Math.floor(Math.min(items, MAX_ITEMS) / ITEMS_FOR_ONE);
}

/** The items that the query parameters ask for, which nobody has judged yet. */
export function itemsInQuery(query: unknown): number {
  const { limit } = Object(query) as { readonly limit?: unknown };
  return typeof limit === 'string' && /^[0-9]{1,3}$/.test(limit) ? Number(limit) : DEFAULT_PAGE_SIZE;
}

/** The items that the body asks for, which nobody has judged yet. */
export function itemsInBody(body: unknown): number {
  const { paymentIds } = Object(body) as { readonly paymentIds?: unknown };
  return Array.isArray(paymentIds) ? paymentIds.length : 0;
}

/** For the documentation. */
export function costSentence(basis: CostBasis): string {
  const items = basis === 'limit' ? 'items that a page may hold' : 'identifiers';
  return `Counts as one request of the rate limit, and as one more for each ${ITEMS_FOR_ONE} ${items}.`;
}
