import { mkdirSync } from 'node:fs';
import { ReadStoreUnavailableError } from '@app/kernel';
import { Checkpointer } from './checkpointer';
import { DocumentCache } from './document-cache';
import { DiskRoom } from './disk-room';
import { discard, openFile, type OpenedFile, pathOf, type ReplacedCallback, sizeOf, stillInPlace } from './file';
import { isCorruption, isFull, isUnavailability } from './sqlite-errors';
import { prepareStatements, type Statements } from './statements';

interface Opened {
  readonly file: OpenedFile;
  readonly statements: Statements;
  readonly checkpointer: Checkpointer;
  /** Ids of collections, by projection and name. They never change within one file. */
  readonly collectionIds: Map<string, Map<string, number>>;
  readonly documents: DocumentCache;
}

/**
 * The connection to the file of read models, and what to do when the file is lost while it is in use: when it was deleted
 * or turns out to be damaged, a new one is begun, the operation under way fails with ReadStoreUnavailableError, and the
 * projectors build everything again. Where the disk is filling up the file is removed, so that the event log has the room,
 * and a new one is begun once there is enough of it.
 */
export class Connection {
  /** Null while no usable file could be had; the next operation tries again. */
  private opened: Opened | null;
  private closing: Promise<void> | null = null;
  /** Whether this turn of the event loop has asked already if others have written. */
  private sawOthers = false;
  /** Checkpointers of files that were given up; awaited at the end, so that no thread outlives the store. */
  private readonly retired: Promise<void>[] = [];

  constructor(
    private readonly dataDir: string,
    private readonly onReplaced: ReplacedCallback,
    private readonly diskRoom = new DiskRoom(dataDir),
  ) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    this.opened = this.hasRoom() ? open(dataDir, onReplaced) : null;
  }

  get closed(): boolean {
    return this.closing !== null;
  }

  /** For those who ask what there is: a file that was removed can be read on for as long as it is open. @throws ReadStoreUnavailableError */
  checkInPlace(): void {
    this.guarded((opened) => this.replaceWhereRemoved(opened));
  }

  /** Runs single statements, each of which sees one moment. @throws ReadStoreUnavailableError */
  read<T>(work: (statements: Statements) => T): T {
    return this.guarded(({ statements }) => work(statements));
  }

  /** Runs statements that all see the same moment. @throws ReadStoreUnavailableError */
  snapshot<T>(work: (statements: Statements) => T): T {
    return this.guarded((opened) => within(opened, 'begin', work));
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
        within(opened, 'begin', (statements) => {
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
  write<T>(writes: number, work: (statements: Statements, documents: DocumentCache) => T): T {
    return this.guarded((opened) => {
      this.replaceWhereRemoved(opened);
      const result = within(opened, 'beginImmediate', (statements) => work(statements, opened.documents));
      opened.checkpointer.written(writes);
      return result;
    });
  }

  /** To be awaited before writes in bulk: it lets the other thread catch up, while this one answers HTTP. */
  async room(): Promise<void> {
    await this.opened?.checkpointer.room();
  }

  /** The collection's id, or null where nothing was ever written to it. Call it within the work of this connection. */
  collectionId(statements: Statements, projection: string, collection: string): number | null {
    const ids = this.opened?.collectionIds;
    const known = ids?.get(projection)?.get(collection);
    if (known !== undefined) return known;
    const row = statements.collectionId.get(projection, collection) as { id: number } | undefined;
    if (row === undefined) return null;
    const ofProjection = ids?.get(projection) ?? new Map<string, number>();
    ids?.set(projection, ofProjection.set(collection, row.id));
    return row.id;
  }

  /** Idempotent. */
  async close(): Promise<void> {
    this.closing ??= this.finish();
    await this.closing;
  }

  private async finish(): Promise<void> {
    await Promise.all([this.opened?.checkpointer.close(), ...this.retired]);
    // The last connection to close copies the log into the file and removes it.
    this.opened?.file.db.close();
  }

  private guarded<T>(work: (opened: Opened) => T): T {
    if (this.closed) throw new ReadStoreUnavailableError('The read store is closed');
    if (this.opened !== null && this.diskRoom.isShort()) this.giveWay();
    const opened = (this.opened ??= this.reopen());
    try {
      return work(opened);
    } catch (error) {
      if (isFull(error)) this.giveWay(error);
      if (isCorruption(error)) this.replace(opened, (error as Error).message, error);
      if (!isUnavailability(error)) throw error;
      throw new ReadStoreUnavailableError(`The read store failed: ${(error as Error).message}`, { cause: error });
    }
  }

  private reopen(): Opened {
    const missing = this.diskRoom.missing();
    if (missing === null) return open(this.dataDir, this.onReplaced);
    const mebibytes = Math.ceil(missing / 2 ** 20);
    throw new ReadStoreUnavailableError(`The read models begin anew once the disk has ${mebibytes} MiB free`);
  }

  /** What a process that ended on a full disk has left gives way as well. */
  private hasRoom(): boolean {
    if (!this.diskRoom.isShort()) return true;
    this.removeForRoom();
    return this.diskRoom.missing() === null;
  }

  private giveWay(cause?: unknown): never {
    const { opened } = this;
    this.opened = null;
    if (opened !== null) {
      this.retired.push(opened.checkpointer.close());
      opened.file.db.close();
    }
    this.removeForRoom();
    throw new ReadStoreUnavailableError('The read models have given way: the disk is full', { cause });
  }

  private removeForRoom(): void {
    const path = pathOf(this.dataDir);
    const bytes = sizeOf(path);
    this.diskRoom.gaveWay(bytes);
    if (bytes === 0) return;
    discard(path, null, false);
    this.onReplaced(path, 'the disk is full, and they have given way to the event log until there is room');
  }

  /** Whoever removes the file under a running service gets it built anew, not written on under no name. */
  private replaceWhereRemoved(opened: Opened): void {
    if (!stillInPlace(opened.file)) this.replace(opened, 'it was removed');
  }

  /** Begins a new file in the place of one that is damaged (`cause`) or was removed, and fails the operation under way. */
  private replace({ file, checkpointer }: Opened, why: string, cause?: unknown): never {
    this.opened = null;
    this.retired.push(checkpointer.close());
    file.db.close();
    // Where another process has already put a new file into this one's place, that one stays.
    if (cause !== undefined) discard(file.path, file.inode, true);
    this.onReplaced(file.path, why);
    this.opened = open(this.dataDir, this.onReplaced);
    throw new ReadStoreUnavailableError(`The read models are lost and begin anew: ${why}`, { cause });
  }
}

function within<T>(
  { file: { db }, statements, collectionIds }: Opened,
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
    collectionIds.clear();
    if (db.isTransaction) statements.rollback.run();
    throw error;
  }
}

function dataVersion(statements: Statements): number {
  return (statements.dataVersion.get() as { data_version: number }).data_version;
}

function open(dataDir: string, onReplaced: ReplacedCallback): Opened {
  const file = openFile(dataDir, onReplaced);
  const statements = prepareStatements(file.db);
  return {
    file,
    statements,
    checkpointer: new Checkpointer(file.path),
    collectionIds: new Map(),
    documents: new DocumentCache(),
  };
}
