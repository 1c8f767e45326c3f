import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';

import type { Currency } from '@app/money';

import type { DisputeChanges, DisputeReason, GatewayDispute } from '../port';
import { EVIDENCE_TIME_MS, type PlannedChange } from './disputes';
import type { RegistrationEntry } from './entries';
import { gatewayReferenceOf } from './references';

const PAGE_SIZE = 50;
const CURSOR = /^([1-9][0-9]{0,14})\.([A-Za-z0-9_]{1,100})$/;

/** Due, or due so late that it was planned under a clock that was ahead. */
const DUE = '(due_at_ms <= :nowMs OR due_at_ms > :tooLateMs)';
const CHANGES = 'dispute_changes JOIN registrations ON registrations.id = registration_id';
const COLUMNS = 'dispute_changes.*, registrations.digest, registrations.payment_id';
const SQL = {
  add: `INSERT INTO dispute_changes (registration_id, dispute_reference, status, amount_minor, currency, fee_minor,
    reason, evidence_due_at_ms, due_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  due: `SELECT id FROM dispute_changes WHERE number IS NULL AND ${DUE} ORDER BY due_at_ms, id LIMIT 500`,
  number: `UPDATE dispute_changes SET number = (SELECT COALESCE(MAX(number), 0) + 1 FROM dispute_changes)
    WHERE id = ? AND number IS NULL`,
  numbered: 'SELECT dispute_reference FROM dispute_changes WHERE number = ?',
  after: `SELECT ${COLUMNS} FROM ${CHANGES} WHERE number > ? ORDER BY number LIMIT ${PAGE_SIZE + 1}`,
  ofRegistration: `SELECT ${COLUMNS} FROM ${CHANGES}
    WHERE registration_id = :registrationId AND ${DUE} ORDER BY dispute_changes.id`,
} as const;

type Row = Record<string, SQLOutputValue>;

/** The disputes in the sandbox's books: what will happen to them is written with the capture. */
export class DisputeBooks {
  private readonly statements: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(db: DatabaseSync) {
    const prepared = Object.entries(SQL).map(([name, sql]) => {
      const statement = db.prepare(sql);
      statement.setReadBigInts(true);
      return [name, statement];
    });
    this.statements = Object.fromEntries(prepared) as typeof this.statements;
  }

  add({ id }: RegistrationEntry, changes: readonly PlannedChange[]): void {
    for (const { disputeReference, status, amount, feeMinor, reason, evidenceDueAtMs, dueAtMs } of changes) {
      const money = [amount.amountMinor, amount.currency, feeMinor] as const;
      this.statements.add.run(id, disputeReference, status, ...money, reason, evidenceDueAtMs, dueAtMs);
    }
  }

  hasUnnumbered(nowMs: number): boolean {
    return this.statements.due.get(dueAt(nowMs)) !== undefined;
  }

  /** Gives what is due its place in the list of changes. */
  numberDue(nowMs: number): void {
    for (const row of this.statements.due.all(dueAt(nowMs))) this.statements.number.run(row['id'] as bigint);
  }

  changesAfter(cursor: string | null): DisputeChanges {
    const after = this.placeOf(cursor);
    const rows = this.statements.after.all(after);
    const page = rows.slice(0, PAGE_SIZE);
    const last = page.at(-1);
    return {
      disputes: page.map(disputeFrom),
      cursor: last === undefined ? (after === 0n ? null : cursor) : cursorOf(last),
      hasMore: rows.length > PAGE_SIZE,
    };
  }

  /** Each dispute as its latest change has left it. */
  disputesOf({ id }: RegistrationEntry, nowMs: number): readonly GatewayDispute[] {
    const rows = this.statements.ofRegistration.all({ registrationId: id, ...dueAt(nowMs) });
    return [...new Map(rows.map((row) => [row['dispute_reference'], disputeFrom(row)])).values()];
  }

  /** A cursor of other books begins with the first change. */
  private placeOf(cursor: string | null): bigint {
    const [, number, disputeReference] = CURSOR.exec(cursor ?? '') ?? [];
    if (number === undefined) return 0n;
    const row = this.statements.numbered.get(BigInt(number));
    return row?.['dispute_reference'] === disputeReference ? BigInt(number) : 0n;
  }
}

function dueAt(nowMs: number) {
  return { nowMs, tooLateMs: nowMs + 2 * EVIDENCE_TIME_MS };
}

function cursorOf(row: Row): string {
  return `${String(row['number'])}.${String(row['dispute_reference'])}`;
}

function disputeFrom(row: Row): GatewayDispute {
  return {
    disputeReference: row['dispute_reference'] as string,
    gatewayReference: gatewayReferenceOf(Number(row['registration_id']), row['digest'] as string),
    paymentId: row['payment_id'] as string,
    status: row['status'] as GatewayDispute['status'],
    amount: { amountMinor: row['amount_minor'] as bigint, currency: row['currency'] as Currency },
    feeMinor: row['fee_minor'] as bigint,
    reason: row['reason'] as DisputeReason,
    evidenceDueAtMs: Number(row['evidence_due_at_ms']),
  };
}
