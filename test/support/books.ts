import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type ActTotals, SandboxBooks } from '@app/gateway/sandbox/sandbox-books';

/** What the gateway actually did for these payments, whatever our own events say. */
export function booksOf(dataDir: string, paymentIds: readonly string[]): ReadonlyMap<string, ActTotals> {
  const books = new SandboxBooks(join(dataDir, 'gateway.sqlite'));
  try {
    return new Map(paymentIds.map((paymentId) => [paymentId, books.countsFor(paymentId)]));
  } finally {
    books.close();
  }
}

/** How often the gateway acted for one payment. */
export function actsFor(dataDir: string, paymentId: string): Record<keyof ActTotals, number> {
  const totals = booksOf(dataDir, [paymentId]).get(paymentId)!;
  const { authorizations, captures, voids, refunds } = totals;
  return {
    authorizations: authorizations.count,
    captures: captures.count,
    voids: voids.count,
    refunds: refunds.count,
  };
}

/** Ends the customer's time for a payment's challenge: the running gateway reads its books and uses no timer. */
export function expireChallenge(dataDir: string, paymentId: string): void {
  const books = new DatabaseSync(join(dataDir, 'gateway.sqlite'), { timeout: 5_000 });
  const expire = books.prepare(
    `UPDATE challenges SET expires_at_ms = ? WHERE registration_id IN
       (SELECT id FROM registrations WHERE payment_id = ?)`,
  );
  const { changes } = expire.run(Date.now() - 1, paymentId);
  books.close();
  if (changes !== 1) throw new Error(`${paymentId} has ${changes} challenges`);
}
