import {
  type CollectionName,
  type Document,
  type Lease,
  type ListedDocument,
  type NewVersion,
  type PageRequest,
  type ProjectionCommit,
  type ProjectionVersion,
  type ProjectionVersions,
  ReadStore,
  type ReadStoreInspection,
  ReadStoreUnavailableError,
} from '@app/event-sourcing';
import type { Connection } from './connection';
import { writeDocument } from './documents';
import type { ReplacedCallback } from './file';
import { FileConnection } from './file-connection';
import { SqliteInspection } from './inspection';
import { lease } from './leases';
import { MemoryConnection } from './memory-connection';
import { parseDocument } from './parse';
import { type ListId, readPage } from './list-entries';
import { Removal } from './removal';
import type { Statements } from './statements';
import { abandonBuild, activate, beginBuild, checkpointText, readVersions, startOver, stopText } from './versions';

export interface SqliteReadStoreOptions {
  /** The directory of `read-models.sqlite`; created with mode 0700 if missing. */
  readonly dataDir: string;
  /** Called when the read models were lost (file damaged, removed, or of another release) and start over, empty. */
  readonly onReplaced: ReplacedCallback;
}

/**
 * Stores read models and to-do lists in one SQLite file. Any number of processes on one machine may open it. Statements
 * run on the calling thread and take a few microseconds each; only checkpoints of the WAL have a thread of their own.
 *
 * Every method throws ReadStoreUnavailableError if the file cannot be used, is locked by others for 2 s, or was just
 * found to be lost; in the last case the store works again afterwards, empty.
 */
export class SqliteReadStore extends ReadStore {
  private readonly connection: Connection;
  private readonly removal: Removal;
  override readonly inspection: ReadStoreInspection;

  /**
   * In memory, the store is private and ends with the object. @throws ReadStoreUnavailableError if there is no usable
   * file.
   */
  constructor(options: SqliteReadStoreOptions | 'in memory') {
    super();
    this.connection = options === 'in memory' ? new MemoryConnection() : this.onFile(options);
    this.removal = new Removal(this.connection);
    this.inspection = new SqliteInspection(this.connection);
  }

  private onFile({ dataDir, onReplaced }: SqliteReadStoreOptions): FileConnection {
    return new FileConnection(dataDir, (file, why) => {
      onReplaced(file, why);
      this.tellLoss();
    });
  }

  override async open(projection: string, fresh: NewVersion): Promise<ProjectionVersion> {
    return this.changeVersions(
      projection,
      (statements) => readVersions(statements, projection).active ?? startOver(statements, projection, fresh),
    );
  }

  override async restart(projection: string, fresh: NewVersion): Promise<ProjectionVersion> {
    return this.changeVersions(projection, (statements) => startOver(statements, projection, fresh));
  }

  /** Checks whether the file is still the one that was opened, and switches to a new one if not. */
  lookAgain(): void {
    try {
      this.connection.checkInPlace();
    } catch (error) {
      if (!(error instanceof ReadStoreUnavailableError)) throw error;
    }
  }

  override async versions(projection: string): Promise<ProjectionVersions> {
    this.connection.checkInPlace();
    return this.connection.snapshot((statements) => readVersions(statements, projection));
  }

  override async beginBuild(
    projection: string,
    fresh: NewVersion,
  ): Promise<ProjectionVersion | 'in-progress' | 'not-open'> {
    return this.changeVersions(projection, (statements) => beginBuild(statements, projection, fresh));
  }

  override async activate(projection: string, version: number): Promise<'activated' | 'behind' | 'fenced'> {
    return this.changeVersions(projection, (statements) => activate(statements, projection, version));
  }

  override async abandonBuild(projection: string, version: number): Promise<boolean> {
    return this.changeVersions(projection, (statements) => abandonBuild(statements, projection, version));
  }

  override async removeOld(projection: string): Promise<boolean> {
    return this.removal.step(projection);
  }

  override async commit(commit: ProjectionCommit): Promise<'committed' | 'fenced'> {
    const { projection: name, version, declaredVersion, expected, next, writes, stop = null } = commit;
    await this.connection.room();
    // An upper bound of the rows: unchanged entries are not written.
    const rows = writes.reduce((sum, { listEntries }) => sum + 1 + listEntries.length, 1);
    const outcome = this.connection.write(rows, (statements, documents) => {
      const { changes } = statements.advance.run({
        name,
        version,
        declaredVersion,
        expected: expected === null ? null : checkpointText(expected),
        next: next === null ? null : checkpointText(next),
        stop: stop === null ? null : stopText(stop),
      });
      if (changes === 0) return 'fenced';
      for (const write of writes) {
        const collection = this.internedId(statements, name, write.collection);
        documents.forget({ collection, version }, write.key);
        writeDocument(statements, { collection, version, key: write.key }, write);
      }
      return 'committed';
    });
    if (outcome === 'committed') this.tellAdvance(name);
    return outcome;
  }

  override async getMany(
    name: CollectionName,
    keys: readonly string[],
    version?: number,
  ): Promise<readonly (Document | null)[]> {
    if (keys.length === 0) return [];
    if (version !== undefined) return this.getManyOf(name, keys, version);
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

  /** Reads any version, without the cache, which serves readers of the live one. */
  private getManyOf(
    { projection, collection: name }: CollectionName,
    keys: readonly string[],
    version: number,
  ): readonly (Document | null)[] {
    return this.connection.snapshot((statements) => {
      const collection = this.connection.collectionId(statements, projection, name);
      if (collection === null || statements.version.get(projection, version) === undefined) return keys.map(() => null);
      return keys.map((key) => {
        const row = statements.get.get(collection, version, key) as { body: string } | undefined;
        return row === undefined ? null : parseDocument(row.body);
      });
    });
  }

  override async page(request: PageRequest): Promise<readonly ListedDocument[]> {
    return this.onList(request.name, [], (statements, id) => readPage(statements, id, request));
  }

  override async lease(request: Lease): Promise<readonly string[]> {
    return this.connection.write(1, (statements) => lease(statements, request));
  }

  override async installationId(candidate: string): Promise<string> {
    return candidate;
  }

  /** Copies the WAL into the file and closes it. */
  override async close(): Promise<void> {
    await this.connection.close();
  }

  private changeVersions<T>(projection: string, change: (statements: Statements) => T): T {
    const result = this.connection.write(1, (statements, documents) => {
      documents.forgetLists(projection);
      return change(statements);
    });
    this.tellAdvance(projection);
    return result;
  }

  private onList<T>(name: CollectionName, none: T, work: (statements: Statements, list: ListId) => T): T {
    return this.connection.snapshot((statements) => {
      const list = this.listId(statements, name);
      return list === null ? none : work(statements, list);
    });
  }

  private listId(statements: Statements, { projection, collection }: CollectionName): ListId | null {
    const row = statements.activeVersion.get(projection) as { active: number } | undefined;
    if (row === undefined) return null;
    const id = this.connection.collectionId(statements, projection, collection);
    return id === null ? null : { collection: id, version: row.active };
  }

  private internedId(statements: Statements, projection: string, collection: string): number {
    const known = this.connection.collectionId(statements, projection, collection);
    if (known !== null) return known;
    return Number(statements.addCollection.run(projection, collection).lastInsertRowid);
  }
}
