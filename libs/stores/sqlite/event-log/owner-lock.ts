import { DatabaseSync } from 'node:sqlite';
import { EventLogInUseError } from './errors';
import { createPrivateFile } from './private-file';

/** The low byte of an error code; the others give details. */
const SQLITE_BUSY = 5;

/**
 * Keeps other processes out of the log by an exclusive transaction on a database of its own, so that the log itself
 * stays readable. The operating system releases it when the process ends, kill -9 and power loss included.
 *
 * It is a POSIX record lock, which belongs to the process: opening and closing the lock file by other means in the same
 * process would release it.
 */
export class OwnerLock {
  private constructor(private readonly database: DatabaseSync) {}

  /** @throws EventLogInUseError at once if the lock is held. */
  static acquire(file: string): OwnerLock {
    createPrivateFile(file);
    const database = new DatabaseSync(file, { timeout: 0 });
    try {
      // Nothing is ever written to it; a crash would only leave a journal behind.
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
      return new OwnerLock(database);
    } catch (error) {
      database.close();
      if (((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_BUSY) throw new EventLogInUseError(file);
      throw error;
    }
  }

  release(): void {
    if (this.database.isOpen) this.database.close();
  }
}
