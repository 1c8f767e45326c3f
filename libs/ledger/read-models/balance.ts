import { assert, type Collection, type StoredEvent } from '@app/event-sourcing';
import { type Balances, entryOf, type JournalEnd, journalOf, trialBalance } from '@app/ledger/domain';
import { type Currency, formatAmount } from '@app/money';
import type { PaymentEvent } from '@app/payments/domain';
import type { BalanceBody, SumsBody } from './documents';
import { journalTrail } from './journal-entry';
import { balancesOf, type StoredSums, storedSums } from './stored-sums';

/** The balances of a merchant's accounts in one currency: the end of a journal. */
export interface BalanceDocument extends Readonly<Record<string, unknown>> {
  readonly merchantId: string;
  readonly currency: string;
  /** Of the last entry. */
  readonly number: number;
  readonly bookedAt: string;
  readonly sums: StoredSums;
}

/** The list of all merchants' balances, by currency: no merchant has this id. */
export const ALL_BALANCES = '*';

export const balance: Collection<BalanceDocument, PaymentEvent> = {
  name: 'balance',
  key: journalOf,
  evolve,
  listEntries: ({ merchantId, currency }) => [
    { list: merchantId, order: currency },
    { list: ALL_BALANCES, order: `${currency}|${merchantId}` },
  ],
  trail: journalTrail,
};

/** A balance as shown to merchants: credits are theirs, so credits are positive. */
export function toBalanceBody({ currency, sums }: Pick<BalanceDocument, 'currency' | 'sums'>): BalanceBody {
  return { currency, ...toSumsBody(balancesOf(sums), currency) };
}

/** Sums as shown to merchants, of a balance or of what an entry changes. */
export function toSumsBody(balances: Balances, currency: string): SumsBody {
  const shown = (amountMinor: bigint) => formatAmount(amountMinor, currency as Currency);
  return {
    gatewayReceivable: shown(balances.gatewayReceivable),
    merchantPayable: shown(-balances.merchantPayable),
    refundsPending: shown(-balances.refundsPending),
    feesEarned: shown(-balances.feesEarned),
    chargebacks: shown(-balances.chargebacks),
  };
}

function evolve(document: BalanceDocument | null, event: StoredEvent<PaymentEvent>): BalanceDocument | null {
  const entry = entryOf(document === null ? null : endOf(document), event);
  if (entry === null) return document;
  const { merchantId, currency, number, bookedAt, balances } = entry;
  // Postings balance, so only a document that was corrupted in the read store can fail here. No balance is better than
  // a wrong one.
  assert(trialBalance(balances) === 0n, `the accounts of ${merchantId} in ${currency} are out of balance`);
  return { merchantId, currency, number, bookedAt, sums: storedSums(balances) };
}

function endOf({ number, bookedAt, sums }: BalanceDocument): JournalEnd {
  return { number, bookedAt, balances: balancesOf(sums) };
}
