import {
  type ClaimedItem,
  type ClaimRequest,
  type CollectionName,
  type Document,
  type ListedDocument,
  type PageRequest,
  type ProjectionCommit,
  type ProjectionVersion,
  ReadStore,
} from '@app/kernel';
import { Connection } from './connection';
import { checkpointText, readVersion, writeDocument } from './documents';
import { GroupRounds, waitingGroups } from './due-groups';
import type { ReplacedCallback } from './file';
import type { Statements } from './statements';
import { readPage } from './places';
import { removeOldVersions } from './removal';
import { claimableItems, holdItems, type ListId, nextClaimableAtMs } from './todo-list';

export interface SqliteReadStoreOptions {
  /** Where `read-models.sqlite` stands; created with mode 0700 when missing. */
  readonly dataDir: string;
  /** The read models were lost (file damaged, removed, or of another release) and begin anew, empty. */
  readonly onReplaced: ReplacedCallback;
}

/**
 * Read models and to-do lists in one SQLite file. Any number of processes on one machine may open it. Statements run on the
 * calling thread, a few microseconds each; only the copying of the write-ahead log has a thread of its own.
 *
 * Every method throws ReadStoreUnavailableError when the file can't be used, is held by others for 2 s, or was just found
 * lost; after the last one it works again, on an empty store.
 */
export class SqliteReadStore extends ReadStore {
  private readonly connection: Connection;
  private readonly rounds = new GroupRounds();

  /** @throws ReadStoreUnavailableError when no usable file can be had. */
  constructor({ dataDir, onReplaced }: SqliteReadStoreOptions) {
    super();
    this.connection = new Connection(dataDir, (file, why) => {
      onReplaced(file, why);
      this.tellLoss();
    });
  }

  override async open(projection: string, codeHash: string, head: bigint | null): Promise<ProjectionVersion> {
    const version = this.connection.write(1, (statements, documents) => {
      documents.forgetLists(projection);
      const active = readVersion(statements, projection);
      return active?.codeHash === codeHash ? active : activateNext(statements, projection, active, codeHash, head);
    });
    await removeOldVersions(this.connection, projection);
    return version;
  }

  override async restart(projection: string, codeHash: string, head: bigint | null): Promise<ProjectionVersion> {
    const version = this.connection.write(1, (statements, documents) => {
      documents.forgetLists(projection);
      return activateNext(statements, projection, readVersion(statements, projection), codeHash, head);
    });
    await removeOldVersions(this.connection, projection);
    return version;
  }

  override async active(projection: string): Promise<ProjectionVersion | null> {
    this.connection.checkInPlace();
    return this.connection.read((statements) => readVersion(statements, projection));
  }

  override async commit(commit: ProjectionCommit): Promise<'committed' | 'fenced'> {
    const { projection: name, version, codeHash, expected, next, writes } = commit;
    await this.connection.room();
    // An upper bound of the rows: places that don't change aren't written.
    const rows = writes.reduce((sum, { places }) => sum + 1 + places.length, 1);
    return this.connection.write(rows, (statements, documents) => {
      const { changes } = statements.advance.run({
        name,
        version,
        codeHash,
        expected: expected === null ? null : checkpointText(expected),
        next: checkpointText(next),
      });
      if (changes === 0) return 'fenced';
      for (const write of writes) {
        const collection = this.internedId(statements, name, write.collection);
        documents.forget(collection, write.key);
        writeDocument(statements, { collection, version, key: write.key }, write);
      }
      return 'committed';
    });
  }

  override async getMany(name: CollectionName, keys: readonly string[]): Promise<readonly (Document | null)[]> {
    if (keys.length === 0) return [];
    return this.connection.cachedSnapshot<readonly (Document | null)[]>(
      (documents) => documents.all(name, keys),
      (statements, documents) => {
        const list = this.listId(statements, name);
        if (list === null) return keys.map(() => null);
        documents.keepList(name, list);
        return keys.map((key) => {
          const known = documents.get(list, key);
          if (known !== null) return known;
          const row = statements.get.get(list.collection, list.version, key) as { body: string } | undefined;
          return row === undefined ? null : documents.keep(list, key, row.body);
        });
      },
    );
  }

  override async page(request: PageRequest): Promise<readonly ListedDocument[]> {
    return this.onList(request.name, [], (statements, id) => readPage(statements, id, request));
  }

  override async dueGroups(
    list: CollectionName,
    nowMs: number,
    limit: number,
    perOwner: number,
  ): Promise<readonly string[]> {
    return this.onList(list, [], (statements, id) =>
      waitingGroups(statements, id, { nowMs, limit, perOwner }, this.rounds),
    );
  }

  override async claim(request: ClaimRequest): Promise<readonly ClaimedItem[]> {
    // Mostly nothing is due, and that is found out without keeping writers of other processes waiting.
    const seen = this.onList(request.list, [], (statements, id) => claimableItems(statements, id, request));
    if (seen.length === 0) return [];
    return this.connection.write(seen.length, (statements) => {
      const id = this.listId(statements, request.list);
      if (id === null) return [];
      const items = claimableItems(statements, id, request);
      holdItems(statements, id, items, request);
      return items;
    });
  }

  override async renew(
    { projection, collection: name }: CollectionName,
    keys: readonly string[],
    owner: string,
    until: number,
  ): Promise<readonly string[]> {
    if (keys.length === 0) return [];
    return this.connection.write(keys.length, (statements) => {
      const collection = this.connection.collectionId(statements, projection, name);
      if (collection === null) return [];
      return keys.filter((key) => statements.renew.run({ collection, key, owner, until }).changes === 1);
    });
  }

  override async release(
    { projection, collection: name }: CollectionName,
    keys: readonly string[],
    owner: string,
  ): Promise<void> {
    if (keys.length === 0) return;
    this.connection.write(keys.length, (statements) => {
      const collection = this.connection.collectionId(statements, projection, name);
      if (collection === null) return;
      for (const key of keys) statements.release.run(collection, key, owner);
    });
  }

  override async nextDueAtMs(list: CollectionName): Promise<number | null> {
    return this.onList(list, null, (statements, id) => nextClaimableAtMs(statements, id));
  }

  override async depth(list: CollectionName): Promise<number> {
    return this.onList(list, 0, (statements, { collection, version }) => {
      const { items } = statements.depth.get(collection, version) as { items: number };
      return items;
    });
  }

  /** Copies the log into the file and closes it. */
  override async close(): Promise<void> {
    await this.connection.close();
  }

  private onList<T>(name: CollectionName, none: T, work: (statements: Statements, list: ListId) => T): T {
    return this.connection.snapshot((statements) => {
      const list = this.listId(statements, name);
      return list === null ? none : work(statements, list);
    });
  }

  private listId(statements: Statements, { projection, collection }: CollectionName): ListId | null {
    const row = statements.activeVersion.get(projection) as { version: number } | undefined;
    if (row === undefined) return null;
    const id = this.connection.collectionId(statements, projection, collection);
    return id === null ? null : { collection: id, version: row.version };
  }

  private internedId(statements: Statements, projection: string, collection: string): number {
    const known = this.connection.collectionId(statements, projection, collection);
    if (known !== null) return known;
    return Number(statements.addCollection.run(projection, collection).lastInsertRowid);
  }
}

function activateNext(
  statements: Statements,
  projection: string,
  active: ProjectionVersion | null,
  codeHash: string,
  head: bigint | null,
): ProjectionVersion {
  const version = (active?.version ?? 0) + 1;
  statements.activate.run(projection, version, codeHash, head === null ? null : String(head));
  return { projection, version, codeHash, checkpoint: null, completeFrom: head };
}
