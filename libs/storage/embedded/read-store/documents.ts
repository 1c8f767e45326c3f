import { assert, type Checkpoint, type DocumentWrite, groupOwner, type ProjectionVersion } from '@app/kernel';
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
  const body = JSON.stringify(document);
  const put = (expected: string | null) =>
    statements.put.run(collection, version, key, dueAt, group, owner, places, body, expected).changes === 1;
  // Most documents have no places and never had any: for them the earlier ones need not be looked up.
  let before = places === null ? null : storedPlaces(statements, at);
  if (!put(before)) {
    before = storedPlaces(statements, at);
    assert(put(before), 'places must not change within a transaction');
  }
  movePlaces(statements, at, before, places);
}

/** The active version as it is stored, or null. */
export function readVersion(statements: Statements, projection: string): ProjectionVersion | null {
  const row = statements.active.get(projection) as
    { version: number; code_hash: string; checkpoint: string | null; complete_from: string | null } | undefined;
  if (row === undefined) return null;
  return {
    projection,
    version: row.version,
    codeHash: row.code_hash,
    checkpoint: row.checkpoint === null ? null : parseCheckpoint(row.checkpoint),
    completeFrom: row.complete_from === null ? null : BigInt(row.complete_from),
  };
}

/** One text for one checkpoint, so that the store can compare by it. Positions go beyond SQLite's 64 signed bits. */
export function checkpointText({ position, lastEvent }: Checkpoint): string {
  const last = lastEvent === null ? null : [lastEvent.id, lastEvent.streamId, lastEvent.revision];
  return JSON.stringify([String(position), last]);
}

function parseCheckpoint(text: string): Checkpoint {
  const [position, last] = JSON.parse(text) as [string, [string, string, number] | null];
  const lastEvent = last === null ? null : { id: last[0], streamId: last[1], revision: last[2] };
  return { position: BigInt(position), lastEvent };
}
