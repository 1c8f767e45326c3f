import {
  type Inspected,
  type InspectedCollection,
  type InspectedPage,
  type ListEntry,
  type ProjectionVersions,
  ReadStoreInspection,
  type StoredDocument,
  type StoredEntry,
} from '@app/event-sourcing';
import { parsedDocument } from '@app/stores/parsed-document';
import type { Connection } from './connection';
import type { EntriesRow, ListId, StoredAt } from './list-entries';
import { ReadOnlyConnection } from './read-only-connection';
import type { Statements } from './statements';
import { readVersions } from './versions';

/** Keys or entries per page: well under a millisecond. */
const PAGE = 500;

/** Reads the tables of the read store as they are. */
export class SqliteInspection extends ReadStoreInspection {
  constructor(private readonly connection: Connection) {
    super();
  }

  /**
   * Opens the file in `dataDir` for reading alone, beside a running service too.
   *
   * @throws ReadStoreUnavailableError if there is none, or it is not of this release.
   */
  static open(dataDir: string): SqliteInspection {
    return new SqliteInspection(new ReadOnlyConnection(dataDir));
  }

  override async versions(projection: string): Promise<ProjectionVersions> {
    return this.connection.snapshot((statements) => readVersions(statements, projection));
  }

  override async documents(
    of: InspectedCollection,
    keys: readonly string[],
  ): Promise<Inspected<StoredDocument> | null> {
    return this.onLive(of, (statements, id) => ({
      found: keys.map((key) => (id === null ? noDocument(key) : stored(statements, { ...id, key }))),
    }));
  }

  override async keys(of: InspectedCollection, from: string | null): Promise<InspectedPage<string> | null> {
    return this.onLive(of, (statements, id) => {
      const rows = id === null ? [] : statements.keysAfter.all({ ...id, from: from ?? '', limit: PAGE });
      const found = (rows as { key: string }[]).map(({ key }) => key);
      return { found, next: found.length < PAGE ? null : `${found.at(-1)}\0` };
    });
  }

  override async entries(of: InspectedCollection, from: string | null): Promise<InspectedPage<StoredEntry> | null> {
    return this.onLive(of, (statements, id) => {
      const [list, order, key] = from === null ? ['', '', ''] : (JSON.parse(from) as [string, string, string]);
      const rows = id === null ? [] : statements.entriesAfter.all({ ...id, list, order, key, limit: PAGE });
      const found = rows as unknown as StoredEntry[];
      const last = found.length < PAGE ? undefined : found.at(-1);
      return { found, next: last === undefined ? null : JSON.stringify([last.list, last.order, `${last.key}\0`]) };
    });
  }

  override async close(): Promise<void> {
    await this.connection.close();
  }

  /** Null if the version is not the live one; the id is null if nothing was ever written to the collection. */
  private onLive<T extends object>(
    { projection, collection, version }: InspectedCollection,
    read: (statements: Statements, id: ListId | null) => T,
  ): (T & { readonly position: bigint }) | null {
    return this.connection.snapshot((statements) => {
      const { active } = readVersions(statements, projection);
      if (active?.version !== version) return null;
      const id = this.connection.collectionId(statements, projection, collection);
      const position = active.checkpoint?.position ?? -1n;
      return { position, ...read(statements, id === null ? null : { collection: id, version }) };
    });
  }
}

function stored(statements: Statements, at: StoredAt): StoredDocument {
  const { collection, version, key } = at;
  const row = statements.get.get(collection, version, key) as { readonly body: string } | undefined;
  if (row === undefined) return noDocument(key);
  const entries = entriesOf((statements.entriesOf.get(collection, version, key) as EntriesRow)?.entries ?? null);
  const unlisted = entries.filter(
    ({ list, order }) => statements.hasEntry.get({ collection, version, list, order, key }) === undefined,
  );
  return { key, document: parsedDocument(row.body) ?? 'unreadable', entries, unlisted };
}

function entriesOf(text: string | null): readonly ListEntry[] {
  try {
    const entries = JSON.parse(text ?? '[]') as (readonly [string, string])[];
    return entries.map(([list, order]) => ({ list, order }));
  } catch {
    // All of them count as missing then.
    return [];
  }
}

function noDocument(key: string): StoredDocument {
  return { key, document: null, entries: [], unlisted: [] };
}
