import type { DatabaseSync } from 'node:sqlite';
import { leaseStatements } from './leases';

/**
 * All statements, prepared once per connection. The indexes are named: the planner has no statistics here, and a plan
 * that switched to another index would turn microseconds into a scan.
 */
export function prepareStatements(db: DatabaseSync) {
  return {
    begin: db.prepare('BEGIN'),
    beginImmediate: db.prepare('BEGIN IMMEDIATE'),
    commit: db.prepare('COMMIT'),
    rollback: db.prepare('ROLLBACK'),
    /** Changes whenever another connection has committed; never through this one. */
    dataVersion: db.prepare('PRAGMA data_version'),
    ...versionStatements(db),
    ...removalStatements(db),
    ...documentStatements(db),
    ...listEntryStatements(db),
    ...leaseStatements(db),
    ...inspectionStatements(db),
  };
}

export type Statements = ReturnType<typeof prepareStatements>;

function versionStatements(db: DatabaseSync) {
  return {
    projection: db.prepare('SELECT active, building, last FROM projection WHERE name = ?'),
    version: db.prepare(
      `SELECT version, declared_version, checkpoint, complete_from, started_at, stop FROM version
       WHERE projection = ? AND version = ?`,
    ),
    activeVersion: db.prepare('SELECT active FROM projection WHERE name = ?'),
    putProjection: db.prepare(
      `INSERT INTO projection (name, active, building, last) VALUES (?, ?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET active = excluded.active, building = excluded.building, last = excluded.last`,
    ),
    addVersion: db.prepare(
      `INSERT INTO version (projection, version, declared_version, checkpoint, complete_from, started_at, stop)
       VALUES (?, ?, ?, NULL, ?, ?, NULL)`,
    ),
    removeVersion: db.prepare('DELETE FROM version WHERE projection = ? AND version = ?'),
    addDead: db.prepare('INSERT INTO dead_version (projection, version) VALUES (?, ?)'),
    /** Fences and advances in one step: changes a row only if everything is as the commit expects. */
    advance: db.prepare(
      `UPDATE version SET checkpoint = :next, stop = :stop
       WHERE projection = :name AND version = :version AND declared_version = :declaredVersion AND checkpoint IS :expected`,
    ),
    collectionId: db.prepare('SELECT id FROM collection WHERE projection = ? AND name = ?'),
    addCollection: db.prepare('INSERT INTO collection (projection, name) VALUES (?, ?)'),
  };
}

function removalStatements(db: DatabaseSync) {
  return {
    dead: db.prepare('SELECT version FROM dead_version WHERE projection = ?'),
    removeDead: db.prepare('DELETE FROM dead_version WHERE projection = ? AND version = ?'),
    stepEnd: db.prepare(
      'SELECT max(id) AS last FROM (SELECT id FROM document WHERE id > :after ORDER BY id LIMIT :limit)',
    ),
    removeOld: db.prepare(
      `DELETE FROM document NOT INDEXED WHERE id > :after AND id <= :last
         AND collection IN (SELECT id FROM collection WHERE projection = :projection)
         AND version IN (SELECT version FROM dead_version WHERE projection = :projection)`,
    ),
    oldEntries: db.prepare(
      `SELECT c.id AS collection, v.version FROM dead_version v CROSS JOIN collection c ON c.projection = v.projection
       WHERE v.projection = :projection
         AND EXISTS (SELECT 1 FROM list_entry l WHERE l.collection = c.id AND l.version = v.version) LIMIT 1`,
    ),
    entriesStepEnd: db.prepare(
      `SELECT list, "order", key FROM list_entry WHERE collection = :collection AND version = :version
       ORDER BY list, "order", key LIMIT 1 OFFSET :limit`,
    ),
    removeEntriesBefore: db.prepare(
      `DELETE FROM list_entry WHERE collection = :collection AND version = :version
         AND (list, "order", key) < (:list, :order, :key)`,
    ),
    removeEntries: db.prepare('DELETE FROM list_entry WHERE collection = :collection AND version = :version'),
  };
}

function documentStatements(db: DatabaseSync) {
  return {
    get: db.prepare('SELECT body FROM document WHERE collection = ? AND version = ? AND key = ?'),
    /** Changes nothing if the document exists with other entries than expected (the last parameter). */
    put: db.prepare(
      `INSERT INTO document (collection, version, key, entries, body) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (collection, version, key) DO UPDATE SET entries = excluded.entries, body = excluded.body
         WHERE entries IS ?`,
    ),
    remove: db.prepare('DELETE FROM document WHERE collection = ? AND version = ? AND key = ? RETURNING entries'),
  };
}

function listEntryStatements(db: DatabaseSync) {
  const page = (direction: 'ASC' | 'DESC') =>
    db.prepare(
      `SELECT p.key, p."order", d.body FROM list_entry p
       CROSS JOIN document d INDEXED BY document_key
         ON d.collection = p.collection AND d.version = p.version AND d.key = p.key
       WHERE p.collection = :collection AND p.version = :version AND p.list = :list
         AND p."order" >= :from AND p."order" < :below
       ORDER BY p."order" ${direction}, p.key ${direction} LIMIT :limit`,
    );
  return {
    ascendingPage: page('ASC'),
    descendingPage: page('DESC'),
    entriesOf: db.prepare('SELECT entries FROM document WHERE collection = ? AND version = ? AND key = ?'),
    addEntry: db.prepare('INSERT INTO list_entry (collection, version, list, "order", key) VALUES (?, ?, ?, ?, ?)'),
    removeEntry: db.prepare(
      'DELETE FROM list_entry WHERE collection = ? AND version = ? AND list = ? AND "order" = ? AND key = ?',
    ),
  };
}

/** For comparisons with the log: both walk an index from an inclusive start. */
function inspectionStatements(db: DatabaseSync) {
  return {
    keysAfter: db.prepare(
      `SELECT key FROM document INDEXED BY document_key
       WHERE collection = :collection AND version = :version AND key >= :from ORDER BY key LIMIT :limit`,
    ),
    entriesAfter: db.prepare(
      `SELECT list, "order", key FROM list_entry WHERE collection = :collection AND version = :version
         AND (list, "order", key) >= (:list, :order, :key) ORDER BY list, "order", key LIMIT :limit`,
    ),
    hasEntry: db.prepare(
      `SELECT 1 FROM list_entry WHERE collection = :collection AND version = :version
         AND list = :list AND "order" = :order AND key = :key`,
    ),
  };
}
