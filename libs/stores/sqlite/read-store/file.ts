import { chmodSync, closeSync, fstatSync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ReadStoreUnavailableError } from '@app/event-sourcing';
import { APPLICATION_ID, createTables, SCHEMA_VERSION, schemaOf } from './schema';
import { DamagedFileError, isCorruption } from './sqlite-errors';

export const FILE_NAME = 'read-models.sqlite';

/** How long a statement waits for another process's write, in ms; the thread is blocked. Writes take milliseconds. */
const BUSY_TIMEOUT_MS = 2_000;

/** Another thread checkpoints the WAL; at this size, 64 MB of pages, the writing thread does it itself. */
const BACKSTOP_CHECKPOINT_PAGES = 16_384;

export interface OpenedFile {
  readonly db: DatabaseSync;
  readonly path: string;
  /** Identifies the file itself, even if another one later has its name. */
  readonly inode: bigint;
}

/** Called when the read models were lost and are rebuilt, so that the operator is told. */
export type ReplacedCallback = (file: string, why: string) => void;

/**
 * Opens `read-models.sqlite` in `dataDir`, creating both if missing. A damaged file is moved to
 * `read-models.sqlite.corrupt` (only the latest is kept, for inspection), and one with another schema version is
 * removed. Either way a new file is created and `onReplaced` called, since everything can be rebuilt from the log.
 *
 * @throws ReadStoreUnavailableError if there is no usable file.
 */
export function openFile(dataDir: string, onReplaced: ReplacedCallback): OpenedFile {
  const path = pathOf(dataDir);
  try {
    return openAt(path, onReplaced);
  } catch (error) {
    // Errors of the file system: no permission, no space, or something else with this name.
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw new ReadStoreUnavailableError(`${path} can't be opened: ${(error as Error).message}`, { cause: error });
  }
}

export function pathOf(dataDir: string): string {
  return join(dataDir, FILE_NAME);
}

function openAt(path: string, onReplaced: ReplacedCallback): OpenedFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  for (let attempt = 1; ; attempt += 1) {
    const before = touch(path);
    const outcome = tryOpen(path, before.empty);
    if ('db' in outcome) return { db: outcome.db, path, inode: before.inode };
    if (attempt === 3) throw new ReadStoreUnavailableError(`${path} can't be used: ${outcome.why}`);
    if (discard(path, before.inode, outcome.keep)) onReplaced(path, outcome.why);
  }
}

/** Whether the opened file is still the one with its name. */
export function stillInPlace({ path, inode }: OpenedFile): boolean {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino === inode;
}

/**
 * Removes the file, or renames it if `keep`, unless another process has already replaced it by a new one. An `inode` of
 * null removes whichever file is there.
 * @returns whether this call removed it.
 */
export function discard(path: string, inode: bigint | null, keep: boolean): boolean {
  const there = statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
  if (there === undefined || (inode !== null && there !== inode)) return false;
  // First, since a WAL without its database would be taken for the WAL of the next one.
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
  if (keep) renameSync(path, `${path}.corrupt`);
  else rmSync(path, { force: true });
  return true;
}

/** The size of the file with its WAL, in bytes. */
export function sizeOf(path: string): number {
  return ['', '-wal', '-shm'].reduce((sum, suffix) => {
    return sum + (statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0);
  }, 0);
}

/** Ensures mode 0600 before SQLite would create the file with the umask; its WAL files inherit the mode. */
function touch(path: string): { readonly inode: bigint; readonly empty: boolean } {
  const descriptor = openSync(path, 'a', 0o600);
  try {
    const { ino, size } = fstatSync(descriptor, { bigint: true });
    chmodSync(path, 0o600);
    return { inode: ino, empty: size === 0n };
  } finally {
    closeSync(descriptor);
  }
}

function tryOpen(
  path: string,
  empty: boolean,
): { readonly db: DatabaseSync } | { readonly why: string; readonly keep: boolean } {
  const leftLog = statSync(`${path}-wal`, { throwIfNoEntry: false });
  const unclean = !empty && leftLog !== undefined && leftLog.size > 0;
  const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    const { application, version } = schemaOf(db);
    if (version !== 0 && application === APPLICATION_ID && version !== SCHEMA_VERSION) {
      db.close();
      return { why: `its tables are of version ${version}, not ${SCHEMA_VERSION}`, keep: false };
    }
    if ((version !== 0 || application !== 0) && application !== APPLICATION_ID) {
      db.close();
      return { why: 'it is not a file of read models', keep: true };
    }
    configure(db);
    if (unclean) checkStructure(db);
    createTables(db);
    return { db };
  } catch (error) {
    db.close();
    if (isCorruption(error)) return { why: (error as Error).message, keep: true };
    throw new ReadStoreUnavailableError(`${path} can't be opened`, { cause: error });
  }
}

/**
 * `synchronous = NORMAL` syncs checkpoints, before and after they copy pages, but not commits. So a power cut may lose
 * the latest commits, but only whole ones from the end, each with its projection checkpoint: the projection is then
 * behind and catches up from the event log, which is synced before anybody projects from it. It is never ahead and
 * never torn: WAL frames have checksums and are read up to the last whole commit. OFF would save the checkpoints'
 * fsyncs, which another thread does anyway, and could leave pages half copied without any sign of it.
 */
function configure(db: DatabaseSync): void {
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA wal_autocheckpoint = ${BACKSTOP_CHECKPOINT_PAGES};
    PRAGMA journal_size_limit = 67108864;
    PRAGMA cache_size = -65536;
    PRAGMA temp_store = MEMORY;
  `);
}

/**
 * A WAL that was left behind means a crash, perhaps a power cut on a disk that lies about fsync: then the structure of
 * the file is checked (about a second per GB). Damage that shows only later is detected when it is read.
 */
function checkStructure(db: DatabaseSync): void {
  const { quick_check: found } = db.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
  if (found !== 'ok') throw new DamagedFileError(found);
}
