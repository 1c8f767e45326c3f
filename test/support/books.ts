import { join } from 'node:path';
import { type ActTotals, SandboxBooks } from '@app/gateway/sandbox/sandbox-books';

/** What the gateway has really done for these payments, whatever our own events say. */
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
