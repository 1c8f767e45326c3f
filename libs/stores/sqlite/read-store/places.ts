import type { ListedDocument, ListPlace, PageRequest } from '@app/event-sourcing';
import { parseDocument } from './parse';
import { DamagedFileError } from './sqlite-errors';
import type { Statements } from './statements';

/** The active version of a collection. */
export interface ListId {
  readonly collection: number;
  readonly version: number;
}

/** Where a document is stored: the active version of a collection, and its key. */
export interface StoredAt extends ListId {
  readonly key: string;
}

export type PlacesRow = { readonly places: string | null } | undefined;

/** Stands behind every text: SQLite sorts blobs after texts. */
const END = new Uint8Array([0]);

/** The places as they are remembered with their document: pairs of list and order, or null for none. */
export function placesText(places: readonly ListPlace[]): string | null {
  return places.length === 0 ? null : JSON.stringify(places.map(({ list, order }) => [list, order]));
}

export function storedPlaces(statements: Statements, { collection, version, key }: StoredAt): string | null {
  return (statements.placesOf.get(collection, version, key) as PlacesRow)?.places ?? null;
}

/** Touches only the places in which the two differ. */
export function movePlaces(statements: Statements, at: StoredAt, from: string | null, to: string | null): void {
  if (from === to) return;
  const { collection, version, key } = at;
  const [before, after] = [parsePlaces(from), parsePlaces(to)];
  for (const [place, [list, order]] of before) {
    if (!after.has(place)) statements.removePlace.run(collection, version, list, order, key);
  }
  for (const [place, [list, order]] of after) {
    if (!before.has(place)) statements.addPlace.run(collection, version, list, order, key);
  }
}

export function readPage(
  statements: Statements,
  list: ListId,
  { list: name, direction, after, until = null, limit }: PageRequest,
): readonly ListedDocument[] {
  const [low, high] = direction === 'ascending' ? [after, until] : [until, after];
  const statement = direction === 'ascending' ? statements.ascendingPage : statements.descendingPage;
  // The next text behind another is the same with a NUL: both bounds become ones that the index can begin and end at.
  const from = low === null ? '' : `${low}\0`;
  const rows = statement.all({ ...list, list: name, from, below: high ?? END, limit });
  return (rows as { key: string; order: string; body: string }[]).map(({ key, order, body }) => ({
    key,
    order,
    document: parseDocument(body),
  }));
}

function parsePlaces(text: string | null): Map<string, readonly [string, string]> {
  if (text === null) return new Map();
  try {
    const places = JSON.parse(text) as (readonly [string, string])[];
    return new Map(places.map((place) => [JSON.stringify(place), place]));
  } catch {
    throw new DamagedFileError("a document's places are not JSON");
  }
}
