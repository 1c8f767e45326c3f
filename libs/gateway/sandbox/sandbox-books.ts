import type { DatabaseSync } from 'node:sqlite';

import { openBooksForReading } from './books-file';
import type { TransactionKind } from './scenarios';

export interface ActTotal {
  readonly count: number;
  /** Total, in the payment's currency. */
  readonly amountMinor: bigint;
}

export interface ActTotals {
  readonly authorizations: ActTotal;
  readonly captures: ActTotal;
  readonly voids: ActTotal;
  readonly refunds: ActTotal;
}

const TOTALS = `
  SELECT kind, COUNT(*) AS count, SUM(transactions.amount_minor) AS amount_minor
  FROM registrations JOIN transactions ON transactions.registration_id = registrations.id
  WHERE payment_id = ? AND verdict <> 'declined'
  GROUP BY kind`;

const SETTLEMENTS = `
  SELECT reference, kind, currency, amount_minor, coalesce(settles_at_ms, recorded_at_ms) AS settled_at_ms
  FROM transactions
  WHERE kind IN ('CAPTURE', 'REFUND') AND verdict <> 'declined' AND registration_id IS NOT NULL
    AND coalesce(settles_at_ms, recorded_at_ms) <= ?
  ORDER BY id`;

/** A line of the settlement report. */
export interface Settlement {
  readonly reference: string;
  readonly kind: 'CAPTURE' | 'REFUND';
  readonly currency: string;
  /** Negative: paid back to the payer. */
  readonly amountMinor: bigint;
  readonly settledAtMs: number;
}

/**
 * The sandbox's books for an auditor: what the gateway has really done, whatever our own events say. Reads the file of
 * a gateway that may be running in another process.
 */
export class SandboxBooks {
  private readonly db: DatabaseSync;

  constructor(file: string) {
    this.db = openBooksForReading(file);
  }

  /** The approved transactions of a payment. A pending refund counts, because it is always approved in the end. */
  countsFor(paymentId: string): ActTotals {
    const statement = this.db.prepare(TOTALS);
    statement.setReadBigInts(true);
    const rows = statement.all(paymentId);
    const total = (kind: TransactionKind): ActTotal => {
      const row = rows.find((candidate) => candidate['kind'] === kind);
      if (row === undefined) return { count: 0, amountMinor: 0n };
      return { count: Number(row['count']), amountMinor: row['amount_minor'] as bigint };
    };
    return {
      authorizations: total('AUTHORIZATION'),
      captures: total('CAPTURE'),
      voids: total('VOID'),
      refunds: total('REFUND'),
    };
  }

  /** What was captured and refunded up to a time, in the order in which it was asked for. */
  *settlements(untilMs: number): Generator<Settlement, void, undefined> {
    const statement = this.db.prepare(SETTLEMENTS);
    statement.setReadBigInts(true);
    for (const row of statement.iterate(untilMs)) {
      const kind = row['kind'] as Settlement['kind'];
      const amountMinor = row['amount_minor'] as bigint;
      yield {
        reference: row['reference'] as string,
        kind,
        currency: row['currency'] as string,
        amountMinor: kind === 'REFUND' ? -amountMinor : amountMinor,
        settledAtMs: Number(row['settled_at_ms']),
      };
    }
  }

  close(): void {
    this.db.close();
  }
}
