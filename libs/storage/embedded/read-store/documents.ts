import { assert, type DocumentWrite, groupOwner } from '@app/kernel';
import { waitAnchor } from '../../wait-anchor';
import { movePlaces, placesText, storedPlaces, type PlacesRow, type StoredAt } from './places';
import type { Statements } from './statements';

export function writeDocument(
  statements: Statements,
  at: StoredAt,
  { document, due, places: named }: DocumentWrite,
): void {
  const { collection, version, key } = at;
  if (document === null) {
    const removed = statements.remove.get(collection, version, key) as PlacesRow;
    movePlaces(statements, at, removed?.places ?? null, null);
    return;
  }
  const places = placesText(named);
  const dueAt = due?.dueAtMs ?? null;
  const group = due?.group ?? null;
  const owner = due === null ? null : groupOwner(due.group);
  const anchor = due === null ? null : waitAnchor(due);
  const body = JSON.stringify(document);
  const put = (expected: string | null) =>
    statements.put.run(collection, version, key, dueAt, group, owner, anchor, places, body, expected).changes === 1;
  // Most documents have no places and never had any: for them the earlier ones need not be looked up.
  let before = places === null ? null : storedPlaces(statements, at);
  if (!put(before)) {
    before = storedPlaces(statements, at);
    assert(put(before), 'places must not change within a transaction');
  }
  movePlaces(statements, at, before, places);
}
