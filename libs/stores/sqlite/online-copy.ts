import { backup, DatabaseSync } from 'node:sqlite';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createPrivateFile, syncDirectory } from './event-log/private-file';

/** How long `begin` waits for another process that has the file locked, in ms. */
const BUSY_TIMEOUT_MS = 5_000;
/** Pages copied between two calls of `onProgress`: 4 MiB, in a few ms. */
const PAGES_AT_ONCE = 1_024;

/** The copy is not a sound database. */
export class DamagedCopyError extends Error {
  constructor(file: string, why: string) {
    super(`The copy ${file} is damaged: ${why}`);
    this.name = 'DamagedCopyError';
  }
}

/**
 * A copy of a SQLite file in WAL mode as of the moment of `begin`, while other processes keep writing it. They wait for
 * nothing, but their WAL grows until the copy is closed. Copies that are begun one after the other show moments in
 * that order, however long copying takes.
 */
export class OnlineCopy {
  private constructor(
    readonly file: string,
    private readonly source: DatabaseSync,
  ) {}

  /** Starts a read transaction, which fixes the moment. @throws if there is no such file, or it is not a database. */
  static begin(file: string): OnlineCopy {
    // A read-only connection cannot create the -shm file that WAL needs if no other process has the file open.
    const url = pathToFileURL(file);
    url.searchParams.set('mode', 'rw');
    const source = new DatabaseSync(url, { timeout: BUSY_TIMEOUT_MS });
    try {
      source.exec('PRAGMA query_only = 1; BEGIN');
      // Only the first read fixes the moment. Within a transaction, the backup does not restart when others write.
      source.prepare('SELECT count(*) FROM sqlite_schema').get();
      return new OnlineCopy(file, source);
    } catch (error) {
      source.close();
      throw error;
    }
  }

  /**
   * Writes the copy to a new file that only its owner can access, durably, and checks it.
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

  /** Idempotent. */
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
