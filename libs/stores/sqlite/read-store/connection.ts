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

/** The connection to a database of read models, wherever it stands. */
export abstract class Connection {
  /** Ids of collections, by projection and name. They never change within one database. */
  protected readonly collectionIds = new Map<string, Map<string, number>>();
  /** Whether this turn of the event loop has asked already if others have written. */
  private sawOthers = false;

  /** Whatever goes wrong with the database while it is used is seen to here. @throws ReadStoreUnavailableError */
  protected abstract guarded<T>(work: (opened: Opened) => T): T;

  /** Idempotent. */
  abstract close(): Promise<void>;

  /** For those who ask what there is: a file that was removed can be read on for as long as it is open. @throws ReadStoreUnavailableError */
  abstract checkInPlace(): void;

  /** To be awaited before writes in bulk: it lets the other thread catch up, while this one answers HTTP. */
  abstract room(): Promise<void>;

  /** Runs single statements, each of which sees one moment. @throws ReadStoreUnavailableError */
  read<T>(work: (statements: Statements) => T): T {
    return this.guarded(({ statements }) => work(statements));
  }

  /** Runs statements that all see the same moment. @throws ReadStoreUnavailableError */
  snapshot<T>(work: (statements: Statements) => T): T {
    return this.guarded((opened) => this.within(opened, 'begin', work));
  }

  /**
   * The same, with the documents that were read before and that nobody has changed since, or not before this turn of the event
   * loop: `fromMemory` is asked first, and does without a transaction where it finds all. @throws ReadStoreUnavailableError
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
          // Of this transaction's moment: what others have committed in between must not be kept as of before.
          documents.seeOthers(dataVersion(statements));
          return work(statements, documents);
        })
      );
    });
  }

  /** Asking takes a lock on the file, which costs more than all else in a read from memory. */
  private seeOthersOncePerTurn({ documents, statements }: Opened): void {
    if (this.sawOthers) return;
    documents.seeOthers(dataVersion(statements));
    this.sawOthers = true;
    setImmediate(() => {
      this.sawOthers = false;
    });
  }

  /** Writes all or nothing; `writes` says about how many rows, to time the checkpoints. @throws ReadStoreUnavailableError */
  write<T>(_writes: number, work: (statements: Statements, documents: DocumentCache) => T): T {
    return this.guarded((opened) =>
      this.within(opened, 'beginImmediate', (statements) => work(statements, opened.documents)),
    );
  }

  /** The collection's id, or null where nothing was ever written to it. Call it within the work of this connection. */
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
      // What was interned in this transaction is gone with it.
      this.collectionIds.clear();
      if (db.isTransaction) statements.rollback.run();
      throw error;
    }
  }
}

function dataVersion(statements: Statements): number {
  return (statements.dataVersion.get() as { data_version: number }).data_version;
}
