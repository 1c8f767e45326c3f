import type { DatabaseSync } from 'node:sqlite';

/** A claim holds while its lease lasts beyond now; an ended one is as good as none. */
const NOBODY_HOLDS = `NOT EXISTS (
  SELECT 1 FROM claim k WHERE k.collection = d.collection AND k.key = d.key AND k.lease_until > :now)`;

const DUE = `d.collection = :collection AND d.version = :version AND d.due_at <= :now`;

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
    ...versionStatements(db),
    ...documentStatements(db),
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
  };
}

function documentStatements(db: DatabaseSync) {
  return {
    get: db.prepare('SELECT body FROM document WHERE collection = ? AND version = ? AND key = ?'),
    put: db.prepare(
      `INSERT INTO document (collection, version, key, due_at, due_group, body) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (collection, version, key)
       DO UPDATE SET due_at = excluded.due_at, due_group = excluded.due_group, body = excluded.body`,
    ),
    remove: db.prepare('DELETE FROM document WHERE collection = ? AND version = ? AND key = ?'),
  };
}

function todoStatements(db: DatabaseSync) {
  return {
    claimable: db.prepare(
      `SELECT d.key, d.body FROM document d INDEXED BY todo_due
       WHERE ${DUE} AND ${NOBODY_HOLDS} ORDER BY d.due_at, d.key LIMIT :limit`,
    ),
    claimableOfGroup: db.prepare(
      `SELECT d.key, d.body FROM document d INDEXED BY todo_group
       WHERE ${DUE} AND d.due_group = :group AND ${NOBODY_HOLDS} ORDER BY d.due_at, d.key LIMIT :limit`,
    ),
    longestDue: db.prepare(
      `SELECT d.due_group AS "group" FROM document d INDEXED BY todo_due
       WHERE ${DUE} AND ${NOBODY_HOLDS} ORDER BY d.due_at, d.key LIMIT :limit`,
    ),
    /** Jumps from group to group in the index and asks each for its first item that nobody holds. */
    waitingGroups: db.prepare(
      `WITH RECURSIVE each_group (name) AS (
         SELECT (SELECT d.due_group FROM document d INDEXED BY todo_group
                 WHERE d.collection = :collection AND d.version = :version AND d.due_at IS NOT NULL
                 ORDER BY d.due_group LIMIT 1)
         UNION ALL
         SELECT (SELECT d.due_group FROM document d INDEXED BY todo_group
                 WHERE d.collection = :collection AND d.version = :version AND d.due_at IS NOT NULL
                   AND d.due_group > each_group.name ORDER BY d.due_group LIMIT 1)
         FROM each_group WHERE each_group.name IS NOT NULL
       )
       SELECT name AS "group",
         (SELECT d.due_at FROM document d INDEXED BY todo_group
          WHERE ${DUE} AND d.due_group = each_group.name AND ${NOBODY_HOLDS} ORDER BY d.due_at LIMIT 1) AS waiting_since
       FROM each_group WHERE name IS NOT NULL ORDER BY waiting_since NULLS LAST LIMIT :limit`,
    ),
    nextUnclaimed: db.prepare(
      `SELECT d.due_at AS at FROM document d INDEXED BY todo_due
       WHERE d.collection = :collection AND d.version = :version AND d.due_at IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM claim k WHERE k.collection = d.collection AND k.key = d.key)
       ORDER BY d.due_at LIMIT 1`,
    ),
    nextClaimed: db.prepare(
      `SELECT min(max(d.due_at, k.lease_until)) AS at FROM claim k
       CROSS JOIN document d INDEXED BY document_key ON d.collection = k.collection AND d.key = k.key
       WHERE k.collection = :collection AND d.version = :version AND d.due_at IS NOT NULL`,
    ),
    depth: db.prepare(
      `SELECT count(*) AS items FROM document d INDEXED BY todo_due
       WHERE d.collection = ? AND d.version = ? AND d.due_at IS NOT NULL`,
    ),
  };
}

function claimStatements(db: DatabaseSync) {
  return {
    hold: db.prepare(
      `INSERT INTO claim (collection, key, owner, lease_until) VALUES (?, ?, ?, ?)
       ON CONFLICT (collection, key) DO UPDATE SET owner = excluded.owner, lease_until = excluded.lease_until`,
    ),
    renew: db.prepare(
      `UPDATE claim SET lease_until = max(lease_until, :until)
       WHERE collection = :collection AND key = :key AND owner = :owner`,
    ),
    release: db.prepare('DELETE FROM claim WHERE collection = ? AND key = ? AND owner = ?'),
    forgetEnded: db.prepare('DELETE FROM claim WHERE collection = ? AND lease_until <= ?'),
  };
}
