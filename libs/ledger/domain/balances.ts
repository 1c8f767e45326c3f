import { type Account, ACCOUNTS, type Posting } from './posting';

/** The sum of each account of one merchant in one currency, in signed minor units: debits are positive. */
export type Balances = Readonly<Record<Account, bigint>>;

export const NO_BALANCES: Balances = {
  gatewayReceivable: 0n,
  merchantPayable: 0n,
  refundsPending: 0n,
  feesEarned: 0n,
  chargebacks: 0n,
};

/** The sums after the posting. */
export function post(balances: Balances, posting: Posting): Balances {
  const sums: Record<Account, bigint> = { ...balances };
  for (const { account, amountMinor } of posting.entries) sums[account] += amountMinor;
  return sums;
}

/** Account by account. */
export function sumOf(one: Balances, other: Balances): Balances {
  const sums: Record<Account, bigint> = { ...one };
  for (const account of ACCOUNTS) sums[account] += other[account];
  return sums;
}

/** The sum over all accounts: zero, unless the balances are corrupt. */
export function trialBalance(balances: Balances): bigint {
  return ACCOUNTS.reduce((sum, account) => sum + balances[account], 0n);
}
