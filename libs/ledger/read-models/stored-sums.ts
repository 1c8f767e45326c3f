import { type Account, ACCOUNTS, type Balances } from '@app/ledger/domain';

/** As in the ledger: signed minor units as decimal strings, debits positive. */
export type StoredSums = Readonly<Record<Account, string>>;

export function storedSums(balances: Balances): StoredSums {
  return mapAccounts((account) => String(balances[account]));
}

export function balancesOf(sums: StoredSums): Balances {
  return mapAccounts((account) => BigInt(sums[account]));
}

function mapAccounts<T>(of: (account: Account) => T): Record<Account, T> {
  return Object.fromEntries(ACCOUNTS.map((account) => [account, of(account)])) as Record<Account, T>;
}
