import { backup, DatabaseSync } from 'node:sqlite';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createPrivateFile, syncDirectory } from './event-log/private-file';

/** How long the beginning waits for another process that has the file locked, in ms. */
const BUSY_TIMEOUT_MS = 5_000;
/** Pages copied between two calls of `onProgress`: 4 MiB, in a few ms. */
const PAGES_AT_ONCE = 1_024;

/** The copy is not the database that it should be. */
export class DamagedCopyError extends Error {
  constructor(file: string, why: string) {
    super(`The copy ${file} is damaged: ${why}`);
    this.name = 'DamagedCopyError';
  }
}

/**
 * A copy of a SQLite file in WAL mode as it is at the moment of `begin`, while other processes go on writing it: they wait for
 * nothing, and their WAL grows until the copy is closed. Several copies that are begun one after the other are of moments in
 * that order, however long the copying takes.
 */
export class OnlineCopy {
  private constructor(
    readonly file: string,
    private readonly source: DatabaseSync,
  ) {}

  /** Holds the moment. Throws where there is no such file, or it is no database. */
  static begin(file: string): OnlineCopy {
    // A connection that may only read can't make the -shm file that WAL needs where no other process has the file open.
    const url = pathToFileURL(file);
    url.searchParams.set('mode', 'rw');
    const source = new DatabaseSync(url, { timeout: BUSY_TIMEOUT_MS });
    try {
      source.exec('PRAGMA query_only = 1; BEGIN');
      // The first read is what holds it. Within a transaction the copying doesn't begin anew when others write.
      source.prepare('SELECT count(*) FROM sqlite_schema').get();
      return new OnlineCopy(file, source);
    } catch (error) {
      source.close();
      throw error;
    }
  }

  /**
   * Writes it to a new file of its owner alone, durably, and checks what was written.
   *
   * @throws DamagedCopyError
   */
  async writeTo(target: string, onProgress: (share: number) => void = () => undefined): Promise<void> {
    createPrivateFile(target);
    await backup(this.source, target, {
      rate: PAGES_AT_ONCE,
      progress: ({ totalPages, remainingPages }) => onProgress(1 - remainingPages / Math.max(1, totalPages)),
    });
    check(target);
    syncDirectory(dirname(target));
  }

  /** May be called again. */
  close(): void {
    if (this.source.isOpen) this.source.close();
  }
}

function check(file: string): void {
  const copy = new DatabaseSync(file);
  try {
    const problem = copy.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
    if (problem !== 'ok') throw new DamagedCopyError(file, String(problem));
  } finally {
    copy.close();
  }
}
