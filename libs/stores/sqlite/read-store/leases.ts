import type { DatabaseSync } from 'node:sqlite';
import type { Lease } from '@app/event-sourcing';
import type { Statements } from './statements';

export function leaseStatements(db: DatabaseSync) {
  return {
    holdLease: db.prepare(
      `INSERT INTO lease (name, owner, lease_until) VALUES (?, ?, ?)
       ON CONFLICT (name, owner) DO UPDATE SET lease_until = excluded.lease_until`,
    ),
    /** Deletes expired leases, and those taken under a later clock. */
    forgetLeases: db.prepare('DELETE FROM lease WHERE name = ? AND (lease_until <= ? OR lease_until > ?)'),
    giveLeaseBack: db.prepare('DELETE FROM lease WHERE name = ? AND owner = ?'),
    holders: db.prepare('SELECT owner FROM lease WHERE name = ? AND lease_until > ? ORDER BY owner'),
  };
}

export function lease(statements: Statements, { name, owner, nowMs, leaseMs, seats = 1 }: Lease): readonly string[] {
  const holders = () => (statements.holders.all(name, nowMs) as { owner: string }[]).map((holder) => holder.owner);
  if (leaseMs === 0) {
    statements.giveLeaseBack.run(name, owner);
    return holders();
  }
  statements.forgetLeases.run(name, nowMs, nowMs + 2 * leaseMs);
  const before = holders();
  if (!before.includes(owner) && before.length >= seats) return before;
  statements.holdLease.run(name, owner, nowMs + leaseMs);
  return holders();
}
