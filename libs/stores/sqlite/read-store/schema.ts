import type { DatabaseSync } from 'node:sqlite';

/** "CfRM": tells a file of read models from any other SQLite file. */
export const APPLICATION_ID = 0x4366524d;

/** Raised with every change of the tables below; a file of another number is thrown away and built anew. */
export const SCHEMA_VERSION = 6;

/**
 * `version` holds the versions that live, the active one and the one being built; `dead_version` those that may still have
 * documents and entries to be removed.
 *
 * `collection` names are interned once for all versions of their projection.
 *
 * `document` is an ordinary rowid table with a unique index and not WITHOUT ROWID: with bodies of 0.3-1 kB and random keys
 * an insert then costs a half to a quarter, as only the narrow index is filled in random order.
 *
 * `list_entry` is nothing but its key: a page of a list is one run of it, and a version's entries are one run, too. `entries`
 * repeats them with the document, as JSON, so that a write that changes none doesn't touch them; it stands before the body,
 * so that a long body need not be read for it.
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

/** Creates the tables in an empty database; leaves a finished one alone. Safe when several processes start at once. */
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

/** What the file says of itself; both are 0 in an empty one. */
export function schemaOf(db: DatabaseSync): { readonly application: number; readonly version: number } {
  const { application_id: application } = db.prepare('PRAGMA application_id').get() as { application_id: number };
  const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
  return { application, version };
}
