import type { StoredEvent, Trail } from '@app/event-sourcing';
import { type EventOfEntry, eventOfEntry, journalKey, NO_BALANCES, post, postingOf } from '@app/ledger/domain';
import type { PaymentEvent } from '@app/payments/domain';
import type { BalanceDocument } from './balance';
import { type StoredSums, storedSums } from './stored-sums';

/** One entry of a journal with the balances after it, so that a statement is read from its entries alone. */
export interface JournalEntryDocument extends Readonly<Record<string, unknown>> {
  readonly merchantId: string;
  readonly currency: string;
  readonly number: number;
  readonly bookedAt: string;
  readonly event: EventOfEntry;
  readonly change: StoredSums;
  /** After the entry. */
  readonly sums: StoredSums;
}

export const journalTrail: Trail<BalanceDocument, PaymentEvent, JournalEntryDocument> = {
  name: 'journalEntry',
  step: (balance, event) => ({ key: `${journalKey(balance)}|${balance.number}`, document: entryAfter(balance, event) }),
  listEntries: (entry) => [{ list: journalKey(entry), order: orderOf(entry) }],
};

/** Entries are in the order of their numbers, and so of their times: in a journal, time never runs backwards. */
function orderOf({ bookedAt, number }: JournalEntryDocument): string {
  return `${bookedAt}|${String(number).padStart(12, '0')}`;
}

function entryAfter(balance: BalanceDocument, event: StoredEvent<PaymentEvent>): JournalEntryDocument {
  const { merchantId, currency, number, bookedAt, sums } = balance;
  const posting = postingOf(event);
  const change = storedSums(posting === null ? NO_BALANCES : post(NO_BALANCES, posting));
  return { merchantId, currency, number, bookedAt, event: eventOfEntry(event), change, sums };
}
