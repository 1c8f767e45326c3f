import type { StoredEvent } from '@app/event-sourcing';
import type { PaymentEvent } from '@app/payments/domain';
import { type Balances, NO_BALANCES, post } from './balances';
import type { Entry } from './posting';
import { postingOf } from './posting-of';

/** How far a merchant's journal in one currency has come. */
export interface JournalEnd {
  /** Of the last entry. */
  readonly number: number;
  readonly bookedAt: string;
  /** The sums of all accounts after it. */
  readonly balances: Balances;
}

/**
 * What one event does to a merchant's accounts in one currency, in its place in the journal. A journal is a function of
 * the log: nothing of an entry is stored in an event.
 */
export interface JournalEntry extends JournalEnd {
  readonly merchantId: string;
  readonly currency: string;
  /** From 1, without gaps, in the order of the log: in each journal of a merchant and currency anew. */
  readonly number: number;
  /**
   * The event's recorded time, unless the entry before it is later: in a journal, time never runs backwards, so that
   * each period follows on the one before it.
   */
  readonly bookedAt: string;
  readonly event: EventOfEntry;
  readonly lines: readonly Entry[];
}

export interface EventOfEntry {
  readonly id: string;
  readonly type: PaymentEvent['type'];
  readonly streamId: string;
  readonly revision: number;
  readonly recordedAt: string;
  /** What it concerns: `paymentId` always, others as the event has them. */
  readonly paymentId: string;
  readonly transactionId: string | null;
  readonly refundId: string | null;
  readonly disputeId: string | null;
}

/** The key of the journal that the event is entered in; null if it moves no money. */
export function journalOf(event: PaymentEvent): string | null {
  const posting = postingOf(event);
  return posting === null ? null : journalKey(posting);
}

export function journalKey({ merchantId, currency }: Pick<JournalEntry, 'merchantId' | 'currency'>): string {
  return `${merchantId}|${currency}`;
}

/**
 * The event's entry; null if it moves no money.
 *
 * @param last the entry before it in the same journal; null for the first.
 * @throws AssertionFailedError if the event's amounts don't balance.
 */
export function entryOf(last: JournalEnd | null, event: StoredEvent<PaymentEvent>): JournalEntry | null {
  const posting = postingOf(event);
  if (posting === null) return null;
  const { recordedAt } = event.metadata;
  return {
    merchantId: posting.merchantId,
    currency: posting.currency,
    number: (last?.number ?? 0) + 1,
    bookedAt: last !== null && last.bookedAt > recordedAt ? last.bookedAt : recordedAt,
    event: eventOfEntry(event),
    lines: posting.entries,
    balances: post(last?.balances ?? NO_BALANCES, posting),
  };
}

/** `PaymentCaptured` as `payment.captured`: what happened, for people. */
export function subjectOf({ type }: Pick<EventOfEntry, 'type'>): string {
  const [, noun = '', verb = ''] = /^([A-Z][a-z]*)(.*)$/.exec(type) ?? [];
  return `${noun}.${verb}`.toLowerCase();
}

export function eventOfEntry({
  id,
  type,
  streamId,
  revision,
  metadata,
  data,
}: StoredEvent<PaymentEvent>): EventOfEntry {
  const { paymentId, transactionId = null, refundId = null, disputeId = null } = data as Partial<EventOfEntry>;
  const { recordedAt } = metadata;
  return { id, type, streamId, revision, recordedAt, paymentId: paymentId ?? '', transactionId, refundId, disputeId };
}
