import { assert, type Damage, type EventStore } from '@app/event-sourcing';
import { type Balances, NO_BALANCES, sumOf, trialBalance } from '@app/ledger/domain';
import { journalRecords, type JournalSelection } from './journal-records';

/** All merchants' accounts together, by currency in alphabetical order. */
export type CurrencyTotals = ReadonlyMap<string, Balances>;

/**
 * The trial balance of the selected entries, from the log alone.
 *
 * @throws EventStoreUnavailableError
 */
export async function trialBalanceOfLog(
  eventStore: Pick<EventStore, 'readAll' | 'readStream' | 'head'>,
  selection: Pick<JournalSelection, 'to' | 'upTo'>,
  { signal, onDamage }: { readonly signal: AbortSignal; readonly onDamage: (damage: Damage) => void },
): Promise<CurrencyTotals> {
  const journals = new Map<string, { readonly currency: string; readonly balances: Balances }>();
  for await (const records of journalRecords(eventStore, selection)) {
    if (signal.aborted) break;
    for (const record of records) {
      if (record.kind === 'damage') onDamage(record.damage);
      if (record.kind === 'entry') journals.set(`${record.entry.merchantId}|${record.entry.currency}`, record.entry);
    }
  }
  return currencyTotals(journals.values());
}

export function currencyTotals(
  journals: Iterable<{ readonly currency: string; readonly balances: Balances }>,
): CurrencyTotals {
  const totals = new Map<string, Balances>();
  for (const { currency, balances } of journals) {
    totals.set(currency, sumOf(totals.get(currency) ?? NO_BALANCES, balances));
  }
  for (const [currency, balances] of totals) assert(trialBalance(balances) === 0n, `${currency} is out of balance`);
  return new Map([...totals].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
