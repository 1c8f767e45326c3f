import type { ListedDocument, ListEntry, PageRequest } from '@app/event-sourcing';
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

export type EntriesRow = { readonly entries: string | null } | undefined;

/** Stands behind every text: SQLite sorts blobs after texts. */
const END = new Uint8Array([0]);

/** The entries as they are remembered with their document: pairs of list and order, or null for none. */
export function entriesText(entries: readonly ListEntry[]): string | null {
  return entries.length === 0 ? null : JSON.stringify(entries.map(({ list, order }) => [list, order]));
}

export function storedEntries(statements: Statements, { collection, version, key }: StoredAt): string | null {
  return (statements.entriesOf.get(collection, version, key) as EntriesRow)?.entries ?? null;
}

/** Touches only the entries in which the two differ. */
export function moveEntries(statements: Statements, at: StoredAt, from: string | null, to: string | null): void {
  if (from === to) return;
  const { collection, version, key } = at;
  const [before, after] = [parseEntries(from), parseEntries(to)];
  for (const [entry, [list, order]] of before) {
    if (!after.has(entry)) statements.removeEntry.run(collection, version, list, order, key);
  }
  for (const [entry, [list, order]] of after) {
    if (!before.has(entry)) statements.addEntry.run(collection, version, list, order, key);
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

function parseEntries(text: string | null): Map<string, readonly [string, string]> {
  if (text === null) return new Map();
  try {
    const entries = JSON.parse(text) as (readonly [string, string])[];
    return new Map(entries.map((entry) => [JSON.stringify(entry), entry]));
  } catch {
    throw new DamagedFileError("a document's entries are not JSON");
  }
}
