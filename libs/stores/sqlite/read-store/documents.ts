import { assert, type DocumentWrite } from '@app/event-sourcing';
import { moveEntries, entriesText, storedEntries, type EntriesRow, type StoredAt } from './list-entries';
import type { Statements } from './statements';

export function writeDocument(
  statements: Statements,
  at: StoredAt,
  { document, listEntries: named }: DocumentWrite,
): void {
  const { collection, version, key } = at;
  if (document === null) {
    const removed = statements.remove.get(collection, version, key) as EntriesRow;
    moveEntries(statements, at, removed?.entries ?? null, null);
    return;
  }
  const entries = entriesText(named);
  const body = JSON.stringify(document);
  const put = (expected: string | null) =>
    statements.put.run(collection, version, key, entries, body, expected).changes === 1;
  // Most documents have no entries and never had any: for them the earlier ones need not be looked up.
  let before = entries === null ? null : storedEntries(statements, at);
  if (!put(before)) {
    before = storedEntries(statements, at);
    assert(put(before), 'entries must not change within a transaction');
  }
  moveEntries(statements, at, before, entries);
}
