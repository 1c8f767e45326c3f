import { type Damage, DamagedHistoryError, type EventStore, type StoredEvent } from '@app/event-sourcing';
import { type Balances, entryOf, type JournalEntry, journalOf } from '@app/ledger/domain';
import { isCurrency } from '@app/money';
import { balancesProjection } from '@app/ledger/read-models/projection';
import type { PaymentEvent } from '@app/payments/domain';
import { type CheckedEvents, checkedEvents } from '../checked-events';

export interface JournalSelection {
  /** RFC 3339 UTC with milliseconds, inclusive: entries before it make the opening balances. */
  readonly from?: string | undefined;
  /** Exclusive. */
  readonly to?: string | undefined;
  readonly merchantId?: string | undefined;
  /** Nothing of the log after this position. */
  readonly upTo?: bigint | undefined;
}

/** A journal's sums where the selection begins. Comes before the journal's first entry. */
export interface Opening {
  readonly merchantId: string;
  readonly currency: string;
  readonly at: string;
  readonly balances: Balances;
}

export type JournalRecord =
  | { readonly kind: 'opening'; readonly opening: Opening }
  | { readonly kind: 'entry'; readonly entry: JournalEntry }
  /** From here on, the stream's events are left out. */
  | { readonly kind: 'damage'; readonly damage: Damage };

interface Journal {
  readonly last: JournalEntry;
  /** Whether its opening has been told, or is not needed. */
  readonly isOpen: boolean;
}

const MONEY_MOVING: CheckedEvents<PaymentEvent> = {
  streamPrefixes: balancesProjection.streamPrefixes,
  schemas: balancesProjection.schemas,
  types: new Set(balancesProjection.types),
};

/** What may stand in a line of an export: an identifier, never a line break, quote or comma. */
const IDENTIFIER = /^[\w-]{1,128}$/;

/**
 * The selected part of all journals, in log order, page by page; each journal by itself is in order of time. Memory is
 * that of one entry for each merchant and currency.
 *
 * @throws EventStoreUnavailableError
 */
export async function* journalRecords(
  eventStore: Pick<EventStore, 'readAll' | 'readStream' | 'head'>,
  selection: JournalSelection,
): AsyncGenerator<readonly JournalRecord[], void, undefined> {
  const journals = new Map<string, Journal>();
  const broken = new Set<string>();
  for await (const page of checkedEvents(eventStore, MONEY_MOVING)) {
    const records: JournalRecord[] = page.damages.map((damage) => ({ kind: 'damage', damage }));
    for (const event of page.events) {
      if (selection.upTo !== undefined && event.position > selection.upTo) break;
      if (broken.has(event.streamId)) continue;
      try {
        records.push(...recordsOf(event, journals, selection));
      } catch (error) {
        const reason = `${event.type} can't be booked: ${(error as Error).message}`;
        broken.add(event.streamId);
        records.push({ kind: 'damage', damage: new DamagedHistoryError(event, 'BROKEN', reason) });
      }
    }
    if (records.length > 0) yield records;
    if (selection.upTo !== undefined && (page.position ?? 0n) >= selection.upTo) break;
  }
  const idle = [...journals.values()].filter(({ isOpen }) => !isOpen);
  if (idle.length > 0) yield idle.map(({ last }) => openingOf(last, selection.from));
}

function recordsOf(
  event: StoredEvent<PaymentEvent>,
  journals: Map<string, Journal>,
  { from, to, merchantId }: JournalSelection,
): readonly JournalRecord[] {
  const key = journalOf(event);
  if (key === null) return [];
  const journal = journals.get(key);
  const entry = entryOf(journal?.last ?? null, event);
  if (entry === null || (merchantId !== undefined && entry.merchantId !== merchantId)) return [];
  checkTexts(entry);
  const isBefore = from !== undefined && entry.bookedAt < from;
  journals.set(key, { last: entry, isOpen: !isBefore });
  if (isBefore) return [];
  const isOpened = journal === undefined || journal.isOpen;
  const isAfter = to !== undefined && entry.bookedAt >= to;
  return [
    ...(isOpened ? [] : [openingOf(journal.last, from)]),
    ...(isAfter ? [] : [{ kind: 'entry' as const, entry }]),
  ];
}

function openingOf({ merchantId, currency, balances }: JournalEntry, at = ''): JournalRecord {
  return { kind: 'opening', opening: { merchantId, currency, at, balances } };
}

/** Everybody who can write to the log can forge a hash, but not a line of an export. */
function checkTexts({ merchantId, currency, event }: JournalEntry): void {
  if (!isCurrency(currency)) throw new Error('its currency is unknown');
  const { id, streamId, paymentId, transactionId, refundId, disputeId } = event;
  for (const text of [merchantId, id, streamId, paymentId, transactionId, refundId, disputeId]) {
    if (text !== null && !IDENTIFIER.test(text)) throw new Error('an identifier of it has another form');
  }
}
