import { assert, type Collection, type StoredEvent } from '@app/event-sourcing';
import { type Account, ACCOUNTS, type Balances, NO_BALANCES, post, postingOf, trialBalance } from '@app/ledger/domain';
import { type Currency, formatAmount } from '@app/money';
import type { PaymentEvent } from '@app/payments/domain';
import type { BalanceBody } from './documents';

/** The balances of a merchant's accounts in one currency. */
export interface BalanceDocument extends Readonly<Record<string, unknown>> {
  readonly merchantId: string;
  readonly currency: string;
  /** As in the ledger: signed minor units as decimal strings, debits positive. */
  readonly sums: Readonly<Record<Account, string>>;
}

export const balance: Collection<BalanceDocument, PaymentEvent> = {
  name: 'balance',
  key: (event) => {
    const posting = postingOf(event);
    return posting === null ? null : `${posting.merchantId}|${posting.currency}`;
  },
  evolve,
  listEntries: ({ merchantId, currency }) => [{ list: merchantId, order: currency }],
};

/** A balance as shown to merchants: credits are theirs, so credits are positive. */
export function toBalanceBody({ currency, sums }: BalanceDocument): BalanceBody {
  const shown = (amountMinor: bigint) => formatAmount(amountMinor, currency as Currency);
  return {
    currency,
    gatewayReceivable: shown(BigInt(sums.gatewayReceivable)),
    merchantPayable: shown(-BigInt(sums.merchantPayable)),
    refundsPending: shown(-BigInt(sums.refundsPending)),
    feesEarned: shown(-BigInt(sums.feesEarned)),
    chargebacks: shown(-BigInt(sums.chargebacks)),
  };
}

function evolve(document: BalanceDocument | null, event: StoredEvent<PaymentEvent>): BalanceDocument | null {
  const posting = postingOf(event);
  if (posting === null) return document;
  const { merchantId, currency } = posting;
  const after = post(document === null ? NO_BALANCES : balancesOf(document), posting);
  // Postings balance, so only a document that was corrupted in the read store can fail here. No balance is better than
  // a wrong one.
  assert(trialBalance(after) === 0n, `the accounts of ${merchantId} in ${currency} are out of balance`);
  return { merchantId, currency, sums: mapAccounts((account) => String(after[account])) };
}

function balancesOf({ sums }: BalanceDocument): Balances {
  return mapAccounts((account) => BigInt(sums[account]));
}

function mapAccounts<T>(of: (account: Account) => T): Record<Account, T> {
  return Object.fromEntries(ACCOUNTS.map((account) => [account, of(account)])) as Record<Account, T>;
}
