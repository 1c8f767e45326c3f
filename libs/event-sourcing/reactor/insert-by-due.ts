/** Inserts the item into a list sorted by due time. Searches from the end, where most items belong. */
export function insertByDue<T extends { readonly dueAtMs: number }>(items: T[], item: T): void {
  let at = items.length;
  while (at > 0 && (items[at - 1]?.dueAtMs ?? 0) > item.dueAtMs) at -= 1;
  items.splice(at, 0, item);
}
