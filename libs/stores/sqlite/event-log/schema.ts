import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { EventLogFormatError } from './errors';
import { createPrivateFile, syncDirectory } from './private-file';

export const SCHEMA_VERSION = 1;

/** "CFEL": distinguishes an event log from any other SQLite file. */
const APPLICATION_ID = 0x4346454c;

/**
 * How long a write waits, in ms, while another process has the file locked; the event loop is blocked. Readers never
 * lock out a writer, so this concerns manual work on the file only.
 */
const BUSY_TIMEOUT_MS = 250;

/** The WAL's file is cut to this size when it restarts after an outside reader had let it grow. */
const WAL_LIMIT_BYTES = 64 * 1024 * 1024;
const PAGE_CACHE_KIB = 32 * 1024;

/**
 * Positions begin at 1 and have no gaps; 0 is before everything. A tombstone is a `$streamDeleted` at the highest
 * revision. All other states of a stream (soft-deleted, truncated, bounded in age) are in the last event of its
 * metadata stream `$$<name>`. Blobs come last, so that a row's head is read without them.
 */
const TABLES = `
  CREATE TABLE categories (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE          -- a stream's name up to and including its first dash, or the whole name
  ) STRICT;
  CREATE TABLE streams (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    category_id INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    stream_id INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    category_id INTEGER NOT NULL,      -- the stream's, so that one category is read without touching the others
    created INTEGER NOT NULL,          -- 100 ns ticks since the Unix epoch
    content_type INTEGER NOT NULL,     -- of the data: 0 application/octet-stream, 1 application/json
    type TEXT NOT NULL,
    id BLOB NOT NULL,                  -- the UUID's 16 bytes, given by the client
    metadata BLOB NOT NULL,
    data BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX events_by_stream ON events (stream_id, revision);
  CREATE INDEX events_by_category ON events (category_id, position);
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/**
 * Opens or creates the log's file. Integers are returned as bigint and rows as arrays.
 *
 * @throws EventLogFormatError when the file is something else, or from a newer version.
 */
export function openLogDatabase(file: string): DatabaseSync {
  createPrivateFile(file);
  const options = { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: false };
  const database = new DatabaseSync(file, { ...options, readBigInts: true, returnArrays: true });
  try {
    const isNew = checkFormat(database, file);
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA fullfsync = ON;
      PRAGMA checkpoint_fullfsync = ON;
      PRAGMA journal_size_limit = ${WAL_LIMIT_BYTES};
      PRAGMA cache_size = -${PAGE_CACHE_KIB};
    `);
    if (isNew) {
      database.exec(`BEGIN IMMEDIATE; ${TABLES} COMMIT`);
      syncDirectory(dirname(file));
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Opens a log that another thread or process writes, read-only.
 *
 * @throws EventLogFormatError when the file is something else, or from a newer version.
 */
export function openLogForReading(file: string): DatabaseSync {
  const options = { readOnly: true, timeout: BUSY_TIMEOUT_MS, readBigInts: true, returnArrays: true };
  const database = new DatabaseSync(file, options);
  try {
    checkFormat(database, file);
    database.exec(`PRAGMA cache_size = -${PAGE_CACHE_KIB}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Returns whether the file is still empty. */
function checkFormat(database: DatabaseSync, file: string): boolean {
  let version: number;
  let applicationId: number;
  let objects: number;
  try {
    version = readNumber(database, 'PRAGMA user_version');
    applicationId = readNumber(database, 'PRAGMA application_id');
    objects = readNumber(database, 'SELECT count(*) FROM sqlite_schema');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EventLogFormatError(file, why);
  }
  if (version === 0 && applicationId === 0 && objects === 0) return true;
  if (applicationId !== APPLICATION_ID) throw new EventLogFormatError(file, 'it is another kind of database');
  if (version > SCHEMA_VERSION) {
    throw new EventLogFormatError(
      file,
      `it has schema version ${version}, written by a newer version of the service; this one knows up to ${SCHEMA_VERSION}`,
    );
  }
  return false;
}

function readNumber(database: DatabaseSync, sql: string): number {
  const [value] = database.prepare(sql).get() as unknown as [bigint];
  return Number(value);
}
