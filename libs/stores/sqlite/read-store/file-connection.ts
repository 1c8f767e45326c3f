import { mkdirSync } from 'node:fs';
import { ReadStoreUnavailableError } from '@app/event-sourcing';
import { WalCheckpointer } from './wal-checkpointer';
import { Connection, type Opened, openedOn } from './connection';
import { DiskRoom } from './disk-room';
import type { DocumentCache } from './document-cache';
import { discard, openFile, type OpenedFile, pathOf, type ReplacedCallback, sizeOf, stillInPlace } from './file';
import { isCorruption, isFull, isUnavailability } from './sqlite-errors';
import type { Statements } from './statements';

interface OpenedOnFile extends Opened {
  readonly file: OpenedFile;
  readonly checkpointer: WalCheckpointer;
}

/**
 * The connection to the file of read models, and what to do when the file is lost while it is in use: when it was deleted
 * or turns out to be damaged, a new one is begun, the operation under way fails with ReadStoreUnavailableError, and the
 * projectors build everything again. Where the disk is filling up the file is removed, so that the event log has the room,
 * and a new one is begun once there is enough of it.
 */
export class FileConnection extends Connection {
  /** Null while no usable file could be had; the next operation tries again. */
  private opened: OpenedOnFile | null;
  private closing: Promise<void> | null = null;
  /** Checkpointers of files that were given up; awaited at the end, so that no thread outlives the store. */
  private readonly retired: Promise<void>[] = [];

  constructor(
    private readonly dataDir: string,
    private readonly onReplaced: ReplacedCallback,
    private readonly diskRoom = new DiskRoom(dataDir),
  ) {
    super();
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    this.opened = this.hasRoom() ? this.open() : null;
  }

  override checkInPlace(): void {
    this.guarded((opened) => this.replaceWhereRemoved(opened));
  }

  override write<T>(writes: number, work: (statements: Statements, documents: DocumentCache) => T): T {
    return this.guarded((opened) => {
      this.replaceWhereRemoved(opened);
      const result = this.within(opened, 'beginImmediate', (statements) => work(statements, opened.documents));
      opened.checkpointer.written(writes);
      return result;
    });
  }

  override async room(): Promise<void> {
    await this.opened?.checkpointer.room();
  }

  override async close(): Promise<void> {
    this.closing ??= this.finish();
    await this.closing;
  }

  private async finish(): Promise<void> {
    await Promise.all([this.opened?.checkpointer.close(), ...this.retired]);
    // The last connection to close copies the log into the file and removes it.
    this.opened?.db.close();
  }

  protected override guarded<T>(work: (opened: OpenedOnFile) => T): T {
    if (this.closing !== null) throw new ReadStoreUnavailableError('The read store is closed');
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

  private open(): OpenedOnFile {
    this.collectionIds.clear();
    const file = openFile(this.dataDir, this.onReplaced);
    return { ...openedOn(file.db), file, checkpointer: new WalCheckpointer(file.path) };
  }

  private reopen(): OpenedOnFile {
    const missing = this.diskRoom.missing();
    if (missing === null) return this.open();
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
      opened.db.close();
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
  private replaceWhereRemoved(opened: OpenedOnFile): void {
    if (!stillInPlace(opened.file)) this.replace(opened, 'it was removed');
  }

  /** Begins a new file in the place of one that is damaged (`cause`) or was removed, and fails the operation under way. */
  private replace({ db, file, checkpointer }: OpenedOnFile, why: string, cause?: unknown): never {
    this.opened = null;
    this.retired.push(checkpointer.close());
    db.close();
    // Where another process has already put a new file into this one's place, that one stays.
    if (cause !== undefined) discard(file.path, file.inode, true);
    this.onReplaced(file.path, why);
    this.opened = this.open();
    throw new ReadStoreUnavailableError(`The read models are lost and begin anew: ${why}`, { cause });
  }
}
