import type { DatabaseSync } from 'node:sqlite';
import { DocumentCache } from './document-cache';
import { prepareStatements, type Statements } from './statements';

export interface Opened {
  readonly db: DatabaseSync;
  readonly statements: Statements;
  readonly documents: DocumentCache;
}

export function openedOn(db: DatabaseSync): Opened {
  return { db, statements: prepareStatements(db), documents: new DocumentCache() };
}

/** A connection to a database of read models, in a file or in memory. */
export abstract class Connection {
  /** Ids of collections, by projection and name. They never change within one database. */
  protected readonly collectionIds = new Map<string, Map<string, number>>();
  /** Whether this turn of the event loop has already checked for writes by others. */
  private sawOthers = false;

  /** Runs `work` and handles every failure of the database. @throws ReadStoreUnavailableError */
  protected abstract guarded<T>(work: (opened: Opened) => T): T;

  /** Idempotent. */
  abstract close(): Promise<void>;

  /** Detects a removed file, which could still be read as long as it is open. @throws ReadStoreUnavailableError */
  abstract checkInPlace(): void;

  /** Awaited before bulk writes: lets the checkpoint thread catch up while this thread serves HTTP. */
  abstract room(): Promise<void>;

  /** Runs single statements, each with its own snapshot. @throws ReadStoreUnavailableError */
  read<T>(work: (statements: Statements) => T): T {
    return this.guarded(({ statements }) => work(statements));
  }

  /** Runs statements that all see the same snapshot. @throws ReadStoreUnavailableError */
  snapshot<T>(work: (statements: Statements) => T): T {
    return this.guarded((opened) => this.within(opened, 'begin', work));
  }

  /**
   * Like `snapshot`, with a cache of documents that are current as of this turn of the event loop, or later.
   * `fromMemory` is called first; if it returns a result, no transaction is needed. @throws ReadStoreUnavailableError
   */
  cachedSnapshot<T>(
    fromMemory: (documents: DocumentCache) => T | null,
    work: (statements: Statements, documents: DocumentCache) => T,
  ): T {
    return this.guarded((opened) => {
      const { documents } = opened;
      this.seeOthersOncePerTurn(opened);
      return (
        fromMemory(documents) ??
        this.within(opened, 'begin', (statements) => {
          // Checked again within the transaction: others may have committed in between, which must invalidate the
          // cache.
          documents.seeOthers(dataVersion(statements));
          return work(statements, documents);
        })
      );
    });
  }

  /** Once per turn, since the check locks the file, which costs more than the rest of a cached read. */
  private seeOthersOncePerTurn({ documents, statements }: Opened): void {
    if (this.sawOthers) return;
    documents.seeOthers(dataVersion(statements));
    this.sawOthers = true;
    setImmediate(() => {
      this.sawOthers = false;
    });
  }

  /**
   * Writes all or nothing; `writes` is the approximate number of rows, to time checkpoints. @throws
   * ReadStoreUnavailableError
   */
  write<T>(_writes: number, work: (statements: Statements, documents: DocumentCache) => T): T {
    return this.guarded((opened) =>
      this.within(opened, 'beginImmediate', (statements) => work(statements, opened.documents)),
    );
  }

  /** The collection's id, or null if nothing was ever written to it. Call it within this connection's `work`. */
  collectionId(statements: Statements, projection: string, collection: string): number | null {
    const known = this.collectionIds.get(projection)?.get(collection);
    if (known !== undefined) return known;
    const row = statements.collectionId.get(projection, collection) as { id: number } | undefined;
    if (row === undefined) return null;
    const ofProjection = this.collectionIds.get(projection) ?? new Map<string, number>();
    this.collectionIds.set(projection, ofProjection.set(collection, row.id));
    return row.id;
  }

  protected within<T>(
    { db, statements }: Opened,
    begin: 'begin' | 'beginImmediate',
    work: (statements: Statements) => T,
  ): T {
    statements[begin].run();
    try {
      const result = work(statements);
      statements.commit.run();
      return result;
    } catch (error) {
      // Ids that were interned in this transaction are rolled back with it.
      this.collectionIds.clear();
      if (db.isTransaction) statements.rollback.run();
      throw error;
    }
  }
}

function dataVersion(statements: Statements): number {
  return (statements.dataVersion.get() as { data_version: number }).data_version;
}
