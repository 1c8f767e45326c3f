import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { JournalEntry } from '@app/ledger/domain';
import type { Movement } from './report';

export type FindingKind = 'missing-here' | 'missing-there' | 'amount-differs' | 'fee-differs';

export interface Finding {
  readonly kind: FindingKind;
  readonly reference: string;
  readonly currency: string;
  readonly here: Sums | null;
  readonly there: Sums | null;
}

interface Sums {
  readonly amountMinor: bigint;
  readonly feeMinor: bigint | null;
}

export interface CurrencyTotal {
  readonly currency: string;
  readonly matched: bigint;
  readonly differing: bigint;
  readonly hereMinor: bigint;
  readonly thereMinor: bigint;
}

const TABLE = `CREATE TABLE movements (
  reference TEXT, currency TEXT, here_amount INTEGER, here_fee INTEGER, there_amount INTEGER, there_fee INTEGER,
  PRIMARY KEY (reference, currency)) STRICT, WITHOUT ROWID`;

const addTo = (side: 'here' | 'there') => `INSERT INTO movements (reference, currency, ${side}_amount, ${side}_fee)
  VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
  ${side}_amount = coalesce(${side}_amount, 0) + excluded.${side}_amount,
  ${side}_fee = CASE WHEN excluded.${side}_fee IS NULL THEN ${side}_fee
    ELSE coalesce(${side}_fee, 0) + excluded.${side}_fee END`;

const KIND = `CASE WHEN here_amount IS NULL THEN 'missing-here' WHEN there_amount IS NULL THEN 'missing-there'
  WHEN here_amount <> there_amount THEN 'amount-differs' WHEN here_fee <> there_fee THEN 'fee-differs' END`;

/**
 * Matches the movements of two books by reference and currency; several with one reference count as their sum. They
 * wait in a temporary file, which SQLite removes, so that memory stays flat.
 */
export class Reconciliation {
  private readonly database = new DatabaseSync('');
  private readonly addHere: StatementSync;
  private readonly addThere: StatementSync;

  constructor() {
    this.database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; ${TABLE}; BEGIN`);
    this.addHere = this.database.prepare(addTo('here'));
    this.addThere = this.database.prepare(addTo('there'));
  }

  here({ reference, currency, amountMinor, feeMinor }: Movement): void {
    this.addHere.run(reference, currency, amountMinor, feeMinor);
  }

  there({ reference, currency, amountMinor, feeMinor }: Movement): void {
    this.addThere.run(reference, currency, amountMinor, feeMinor);
  }

  /** Whatever does not match, by reference. */
  *findings(): Generator<Finding, void, undefined> {
    for (const row of this.rows(`SELECT ${KIND} AS kind, * FROM movements WHERE ${KIND} IS NOT NULL`)) {
      yield {
        kind: row['kind'] as FindingKind,
        reference: row['reference'] as string,
        currency: row['currency'] as string,
        here: sumsOf(row['here_amount'], row['here_fee']),
        there: sumsOf(row['there_amount'], row['there_fee']),
      };
    }
  }

  /** By currency, in alphabetical order. */
  totals(): readonly CurrencyTotal[] {
    const sql = `SELECT currency, sum(${KIND} IS NULL) AS matched, sum(${KIND} IS NOT NULL) AS differing,
      coalesce(sum(here_amount), 0) AS here, coalesce(sum(there_amount), 0) AS there
      FROM movements GROUP BY currency ORDER BY currency`;
    return [...this.rows(sql)].map((row) => ({
      currency: row['currency'] as string,
      matched: row['matched'] as bigint,
      differing: row['differing'] as bigint,
      hereMinor: row['here'] as bigint,
      thereMinor: row['there'] as bigint,
    }));
  }

  close(): void {
    this.database.close();
  }

  private rows(sql: string) {
    const statement = this.database.prepare(sql);
    statement.setReadBigInts(true);
    return statement.iterate();
  }
}

/** What the entry moves between the processor and us; null if nothing. */
export function movementOf({ currency, event, lines }: JournalEntry): Movement | null {
  const sumOf = (account: JournalEntry['lines'][number]['account']) =>
    lines.filter((line) => line.account === account).reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  const amountMinor = sumOf('gatewayReceivable');
  if (amountMinor === 0n) return null;
  const reference = event.transactionId ?? event.disputeId ?? event.paymentId;
  return { reference, currency, amountMinor, feeMinor: -sumOf('feesEarned') };
}

function sumsOf(amountMinor: unknown, feeMinor: unknown): Sums | null {
  return amountMinor === null ? null : { amountMinor: amountMinor as bigint, feeMinor: feeMinor as bigint | null };
}
