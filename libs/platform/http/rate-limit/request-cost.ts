/** This many items of a page or batch cost as much as one more request. */
export const ITEMS_FOR_ONE = 10;
/** Page size if the request does not specify one. */
export const DEFAULT_PAGE_SIZE = 20;
/** Maximum items of a page or batch. A request for more is refused, whatever it cost. */
const MAX_ITEMS = 100;

/** What determines the number of items requested: the page size, or the identifiers in the body. */
export type CostBasis = 'limit' | 'paymentIds';

/** How many requests of the rate limit a request for this many items counts as. */
export function costOf(items: number): number {
  return 1 + Math.floor(Math.min(items, MAX_ITEMS) / ITEMS_FOR_ONE);
}

/** The items that the query asks for, before validation. */
export function itemsInQuery(query: unknown): number {
  const { limit } = Object(query) as { readonly limit?: unknown };
  return typeof limit === 'string' && /^[0-9]{1,3}$/.test(limit) ? Number(limit) : DEFAULT_PAGE_SIZE;
}

/** The items that the body asks for, before validation. */
export function itemsInBody(body: unknown): number {
  const { paymentIds } = Object(body) as { readonly paymentIds?: unknown };
  return Array.isArray(paymentIds) ? paymentIds.length : 0;
}

/** For the API documentation. */
export function costSentence(basis: CostBasis): string {
  const items = basis === 'limit' ? 'items that a page may hold' : 'identifiers';
  return `Counts as one request of the rate limit, and as one more for each ${ITEMS_FOR_ONE} ${items}, up to ${MAX_ITEMS} of them.`;
}
