import type { DatabaseSync } from 'node:sqlite';

/** "CfRM": distinguishes a file of read models from any other SQLite file. */
export const APPLICATION_ID = 0x4366524d;

/** Raised with every change to the tables below; a file with another number is removed and rebuilt. */
export const SCHEMA_VERSION = 6;

/**
 * `version` has the current versions, the live one and the one being built; `dead_version` has those that may still
 * have documents and list entries to remove.
 *
 * `collection` interns each name once for all versions of its projection.
 *
 * `document` is an ordinary rowid table with a unique index, not WITHOUT ROWID: with bodies of 0.3-1 kB and random keys
 * an insert then costs a half to a quarter, since only the narrow index is filled in random order.
 *
 * `list_entry` consists of its key only: a page of a list is one contiguous range, and so are a version's entries.
 * `entries` repeats them in the document row, as JSON, so that a write that changes none does not touch them; it comes
 * before the body, so that a long body need not be read to get it.
 */
const TABLES = `
  CREATE TABLE projection (
    name     TEXT PRIMARY KEY,
    active   INTEGER NOT NULL,
    building INTEGER,
    last     INTEGER NOT NULL             -- the highest number that was ever given to a version
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE version (
    projection    TEXT NOT NULL,
    version       INTEGER NOT NULL,
    declared_version INTEGER NOT NULL,
    checkpoint    TEXT,
    complete_from TEXT,
    started_at    INTEGER NOT NULL,
    stop          TEXT,
    PRIMARY KEY (projection, version)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE dead_version (
    projection TEXT NOT NULL,
    version    INTEGER NOT NULL,
    PRIMARY KEY (projection, version)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE collection (
    id         INTEGER PRIMARY KEY,
    projection TEXT NOT NULL,
    name       TEXT NOT NULL,
    UNIQUE (projection, name)
  ) STRICT;

  CREATE TABLE document (
    id         INTEGER PRIMARY KEY,
    collection INTEGER NOT NULL,
    version    INTEGER NOT NULL,
    key        TEXT NOT NULL,
    entries    TEXT,
    body       TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX document_key ON document (collection, version, key);

  CREATE TABLE list_entry (
    collection INTEGER NOT NULL,
    version    INTEGER NOT NULL,
    list       TEXT NOT NULL,
    "order"    TEXT NOT NULL,
    key        TEXT NOT NULL,
    PRIMARY KEY (collection, version, list, "order", key)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE lease (
    name        TEXT NOT NULL,
    owner       TEXT NOT NULL,
    lease_until INTEGER NOT NULL,
    PRIMARY KEY (name, owner)
  ) STRICT, WITHOUT ROWID;
`;

/** Creates the tables in an empty database; leaves any other one alone. Safe when several processes start at once. */
export function createTables(db: DatabaseSync): void {
  if (schemaOf(db).version !== 0) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    if (schemaOf(db).version === 0) {
      db.exec(`${TABLES}; PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`);
    }
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** The application id and schema version in the file; both are 0 if it is empty. */
export function schemaOf(db: DatabaseSync): { readonly application: number; readonly version: number } {
  const { application_id: application } = db.prepare('PRAGMA application_id').get() as { application_id: number };
  const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
  return { application, version };
}
