import type { DatabaseSync } from 'node:sqlite';

/** A claim holds while its lease lasts beyond now; an ended one is as good as none. */
const NOBODY_HOLDS = `NOT EXISTS (
  SELECT 1 FROM claim k WHERE k.collection = d.collection AND k.key = d.key AND k.lease_until > :now)`;

const ON_LIST = 'd.collection = :collection AND d.version = :version AND d.due_at IS NOT NULL';

const DUE = 'd.collection = :collection AND d.version = :version AND d.due_at <= :now';

export function todoStatements(db: DatabaseSync) {
  return {
    claimable: db.prepare(
      `SELECT d.key, d.body FROM document d INDEXED BY todo_due
       WHERE ${DUE} AND ${NOBODY_HOLDS} ORDER BY d.due_at, d.key LIMIT :limit`,
    ),
    claimableOfGroup: db.prepare(
      `SELECT d.key, d.body FROM document d INDEXED BY todo_group
       WHERE ${DUE} AND d.due_owner = :owner AND d.due_group = :group AND ${NOBODY_HOLDS}
       ORDER BY d.due_at, d.key LIMIT :limit`,
    ),
    ...groupStatements(db),
    ...voidStatements(db),
    nextUnclaimed: db.prepare(
      `SELECT d.due_at AS at FROM document d INDEXED BY todo_due
       WHERE ${ON_LIST} AND NOT EXISTS (SELECT 1 FROM claim k WHERE k.collection = d.collection AND k.key = d.key)
       ORDER BY d.due_at LIMIT 1`,
    ),
    nextClaimed: db.prepare(
      `SELECT min(max(d.due_at, k.lease_until)) AS at FROM claim k
       CROSS JOIN document d INDEXED BY document_key ON d.collection = k.collection AND d.key = k.key
       WHERE k.collection = :collection AND d.version = :version AND d.due_at IS NOT NULL`,
    ),
    firstDue: db.prepare(
      `SELECT min(d.due_at) AS at FROM document d INDEXED BY todo_due
       WHERE d.collection = ? AND d.version = ? AND d.due_at IS NOT NULL`,
    ),
    depth: db.prepare(
      `SELECT count(*) AS items FROM document d INDEXED BY todo_due
       WHERE d.collection = ? AND d.version = ? AND d.due_at IS NOT NULL`,
    ),
  };
}

function voidStatements(db: DatabaseSync) {
  const ofList = (condition: string) =>
    `SELECT id FROM document INDEXED BY todo_wait
     WHERE collection = :collection AND version = :version AND ${condition} LIMIT :limit`;
  const ends = [ofList('wait_anchor > :settled'), ofList('wait_anchor < -:wall')];
  return {
    hasVoid: db.prepare(
      `SELECT ${ends.map((end) => `EXISTS (${end})`).join(' OR ')}
         OR EXISTS (SELECT 1 FROM claim WHERE collection = :collection AND lease_until > :lastLease) AS found`,
    ),
    endVoidWaits: db.prepare(
      `UPDATE document SET due_at = :settled, wait_anchor = :settled
       WHERE ${ends.map((end) => `id IN (${end})`).join(' OR ')}`,
    ),
    freeVoidClaims: db.prepare('DELETE FROM claim WHERE collection = ? AND lease_until > ?'),
  };
}

function groupStatements(db: DatabaseSync) {
  return {
    longestDue: db.prepare(
      `SELECT d.due_group AS "group", d.due_at AS sinceMs FROM document d INDEXED BY todo_due
       WHERE ${DUE} AND ${NOBODY_HOLDS} ORDER BY d.due_at, d.key LIMIT :limit`,
    ),
    longestDueOfOwner: db.prepare(
      `SELECT d.due_group AS "group", d.due_at AS sinceMs FROM document d INDEXED BY todo_owner
       WHERE ${DUE} AND d.due_owner = :owner AND ${NOBODY_HOLDS} ORDER BY d.due_at, d.key LIMIT :limit`,
    ),
    /** Jumps from owner to owner in the index and asks each for its first due item that nobody holds. */
    waitingOwners: db.prepare(
      `WITH RECURSIVE each_owner (name) AS (
         SELECT (SELECT d.due_owner FROM document d INDEXED BY todo_owner
                 WHERE ${ON_LIST} ORDER BY d.due_owner LIMIT 1)
         UNION ALL
         SELECT (SELECT d.due_owner FROM document d INDEXED BY todo_owner
                 WHERE ${ON_LIST} AND d.due_owner > each_owner.name ORDER BY d.due_owner LIMIT 1)
         FROM each_owner WHERE each_owner.name IS NOT NULL
       )
       SELECT owner, sinceMs,
         (SELECT d.due_group FROM document d INDEXED BY todo_owner
          WHERE ${ON_LIST} AND d.due_owner = each_waiting.owner AND d.due_at = each_waiting.sinceMs AND ${NOBODY_HOLDS}
          ORDER BY d.key LIMIT 1) AS "group"
       FROM (
         SELECT name AS owner,
           (SELECT d.due_at FROM document d INDEXED BY todo_owner
            WHERE ${DUE} AND d.due_owner = each_owner.name AND ${NOBODY_HOLDS} ORDER BY d.due_at LIMIT 1) AS sinceMs
         FROM each_owner WHERE name IS NOT NULL ORDER BY sinceMs NULLS LAST LIMIT :limit) AS each_waiting
       WHERE sinceMs IS NOT NULL`,
    ),
    /** Jumps likewise through the groups of one owner from `from` on, waiting or not. */
    nextGroupsOfOwner: db.prepare(
      `WITH RECURSIVE each_group (name) AS (
         SELECT (SELECT d.due_group FROM document d INDEXED BY todo_group
                 WHERE ${ON_LIST} AND d.due_owner = :owner AND d.due_group >= :from ORDER BY d.due_group LIMIT 1)
         UNION ALL
         SELECT (SELECT d.due_group FROM document d INDEXED BY todo_group
                 WHERE ${ON_LIST} AND d.due_owner = :owner AND d.due_group > each_group.name
                 ORDER BY d.due_group LIMIT 1)
         FROM each_group WHERE each_group.name IS NOT NULL LIMIT :limit
       )
       SELECT name AS "group",
         (SELECT d.due_at FROM document d INDEXED BY todo_group
          WHERE ${DUE} AND d.due_owner = :owner AND d.due_group = each_group.name AND ${NOBODY_HOLDS}
          ORDER BY d.due_at LIMIT 1) AS sinceMs
       FROM each_group WHERE name IS NOT NULL`,
    ),
  };
}

export function claimStatements(db: DatabaseSync) {
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
