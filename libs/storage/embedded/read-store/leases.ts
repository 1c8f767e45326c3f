import type { DatabaseSync } from 'node:sqlite';
import type { Lease } from '@app/kernel';
import type { Statements } from './statements';

export function leaseStatements(db: DatabaseSync) {
  return {
    /** Changes nothing where another one's lease has not ended, and isn't void. */
    holdLease: db.prepare(
      `INSERT INTO lease (name, owner, lease_until) VALUES (:name, :owner, :until)
       ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, lease_until = excluded.lease_until
         WHERE lease.owner = excluded.owner OR lease.lease_until <= :now OR lease.lease_until > :void`,
    ),
    endLease: db.prepare('DELETE FROM lease WHERE name = ? AND owner = ?'),
    joinGroup: db.prepare(
      `INSERT INTO member (name, owner, lease_until) VALUES (?, ?, ?)
       ON CONFLICT (name, owner) DO UPDATE SET lease_until = excluded.lease_until`,
    ),
    forgetMembers: db.prepare('DELETE FROM member WHERE name = ? AND (lease_until <= ? OR lease_until > ?)'),
    members: db.prepare('SELECT owner FROM member WHERE name = ? ORDER BY owner'),
    leaveGroup: db.prepare('DELETE FROM member WHERE name = ? AND owner = ?'),
  };
}

export function holdLease(statements: Statements, { name, owner, nowMs, leaseMs }: Lease): boolean {
  return (
    statements.holdLease.run({ name, owner, until: nowMs + leaseMs, now: nowMs, void: nowMs + 2 * leaseMs }).changes ===
    1
  );
}

export function endLease(statements: Statements, name: string, owner: string): void {
  statements.endLease.run(name, owner);
}

export function join(statements: Statements, { name, owner, nowMs, leaseMs }: Lease): readonly string[] {
  statements.joinGroup.run(name, owner, nowMs + leaseMs);
  statements.forgetMembers.run(name, nowMs, nowMs + 2 * leaseMs);
  return (statements.members.all(name) as { owner: string }[]).map((member) => member.owner);
}

export function leave(statements: Statements, name: string, owner: string): void {
  statements.leaveGroup.run(name, owner);
}
