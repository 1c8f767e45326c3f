import type { DatabaseSync } from 'node:sqlite';
import { claimStatements, todoStatements } from './todo-statements';

/**
 * Every statement, prepared once for a connection. The indexes are named: the planner has no statistics here, and a plan
 * that turns from one index to another would turn microseconds into a scan.
 */
export function prepareStatements(db: DatabaseSync) {
  return {
    begin: db.prepare('BEGIN'),
    beginImmediate: db.prepare('BEGIN IMMEDIATE'),
    commit: db.prepare('COMMIT'),
    rollback: db.prepare('ROLLBACK'),
    /** Changes whenever another connection has committed something; never by what this one does. */
    dataVersion: db.prepare('PRAGMA data_version'),
    ...versionStatements(db),
    ...removalStatements(db),
    ...documentStatements(db),
    ...placeStatements(db),
    ...todoStatements(db),
    ...claimStatements(db),
  };
}

export type Statements = ReturnType<typeof prepareStatements>;

function versionStatements(db: DatabaseSync) {
  return {
    active: db.prepare('SELECT version, code_hash, checkpoint, complete_from FROM projection WHERE name = ?'),
    activeVersion: db.prepare('SELECT version FROM projection WHERE name = ?'),
    activate: db.prepare(
      `INSERT INTO projection (name, version, code_hash, checkpoint, complete_from) VALUES (?, ?, ?, NULL, ?)
       ON CONFLICT (name) DO UPDATE SET version = excluded.version, code_hash = excluded.code_hash,
         checkpoint = NULL, complete_from = excluded.complete_from`,
    ),
    /** Fences and advances in one: it changes a row only where everything is as the commit expects. */
    advance: db.prepare(
      `UPDATE projection SET checkpoint = :next
       WHERE name = :name AND version = :version AND code_hash = :codeHash AND checkpoint IS :expected`,
    ),
    collectionId: db.prepare('SELECT id FROM collection WHERE projection = ? AND name = ?'),
    addCollection: db.prepare('INSERT INTO collection (projection, name) VALUES (?, ?)'),
  };
}

function removalStatements(db: DatabaseSync) {
  return {
    anyOld: db.prepare(
      `SELECT 1 FROM projection p CROSS JOIN collection c ON c.projection = p.name
       WHERE p.name = :projection AND EXISTS (
         SELECT 1 FROM document d INDEXED BY document_key WHERE d.collection = c.id AND d.version < p.version)`,
    ),
    stepEnd: db.prepare(
      'SELECT max(id) AS last FROM (SELECT id FROM document WHERE id > :after ORDER BY id LIMIT :limit)',
    ),
    removeOld: db.prepare(
      `DELETE FROM document NOT INDEXED WHERE id > :after AND id <= :last
         AND collection IN (SELECT id FROM collection WHERE projection = :projection)
         AND version < (SELECT version FROM projection WHERE name = :projection)`,
    ),
    oldPlaces: db.prepare(
      `SELECT c.id AS collection, p.version AS "before" FROM projection p CROSS JOIN collection c ON c.projection = p.name
       WHERE p.name = :projection AND EXISTS (
         SELECT 1 FROM place l WHERE l.collection = c.id AND l.version < p.version) LIMIT 1`,
    ),
    placesStepEnd: db.prepare(
      `SELECT version, list, "order", key FROM place WHERE collection = :collection AND version < :before
       ORDER BY version, list, "order", key LIMIT 1 OFFSET :limit`,
    ),
    removePlacesBefore: db.prepare(
      `DELETE FROM place WHERE collection = :collection
         AND (version, list, "order", key) < (:version, :list, :order, :key)`,
    ),
  };
}

function documentStatements(db: DatabaseSync) {
  return {
    get: db.prepare('SELECT body FROM document WHERE collection = ? AND version = ? AND key = ?'),
    /** Changes nothing where the document is there with other places than the expected ones, which come last. */
    put: db.prepare(
      `INSERT INTO document (collection, version, key, due_at, due_group, due_owner, places, body)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (collection, version, key) DO UPDATE SET due_at = excluded.due_at, due_group = excluded.due_group,
         due_owner = excluded.due_owner, places = excluded.places, body = excluded.body WHERE places IS ?`,
    ),
    remove: db.prepare('DELETE FROM document WHERE collection = ? AND version = ? AND key = ? RETURNING places'),
  };
}

function placeStatements(db: DatabaseSync) {
  const page = (direction: 'ASC' | 'DESC') =>
    db.prepare(
      `SELECT p.key, p."order", d.body FROM place p
       CROSS JOIN document d INDEXED BY document_key
         ON d.collection = p.collection AND d.version = p.version AND d.key = p.key
       WHERE p.collection = :collection AND p.version = :version AND p.list = :list
         AND p."order" >= :from AND p."order" < :below
       ORDER BY p."order" ${direction}, p.key ${direction} LIMIT :limit`,
    );
  return {
    ascendingPage: page('ASC'),
    descendingPage: page('DESC'),
    placesOf: db.prepare('SELECT places FROM document WHERE collection = ? AND version = ? AND key = ?'),
    addPlace: db.prepare('INSERT INTO place (collection, version, list, "order", key) VALUES (?, ?, ?, ?, ?)'),
    removePlace: db.prepare(
      'DELETE FROM place WHERE collection = ? AND version = ? AND list = ? AND "order" = ? AND key = ?',
    ),
  };
}
