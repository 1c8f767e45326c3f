import { assert, type DocumentWrite } from '@app/event-sourcing';
import { movePlaces, placesText, storedPlaces, type PlacesRow, type StoredAt } from './places';
import type { Statements } from './statements';

export function writeDocument(statements: Statements, at: StoredAt, { document, places: named }: DocumentWrite): void {
  const { collection, version, key } = at;
  if (document === null) {
    const removed = statements.remove.get(collection, version, key) as PlacesRow;
    movePlaces(statements, at, removed?.places ?? null, null);
    return;
  }
  const places = placesText(named);
  const body = JSON.stringify(document);
  const put = (expected: string | null) =>
    statements.put.run(collection, version, key, places, body, expected).changes === 1;
  // Most documents have no places and never had any: for them the earlier ones need not be looked up.
  let before = places === null ? null : storedPlaces(statements, at);
  if (!put(before)) {
    before = storedPlaces(statements, at);
    assert(put(before), 'places must not change within a transaction');
  }
  movePlaces(statements, at, before, places);
}
