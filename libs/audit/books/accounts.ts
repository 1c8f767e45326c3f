import { type Account, ACCOUNTS, type Balances } from '@app/ledger/domain';

interface AccountName {
  readonly root: 'assets' | 'liabilities' | 'revenues';
  readonly words: string;
}

/** `chargebacks` stands against what the processor owes, so it is an asset with a credit balance. */
const NAMES: Readonly<Record<Account, AccountName>> = {
  gatewayReceivable: { root: 'assets', words: 'processor receivable' },
  merchantPayable: { root: 'liabilities', words: 'merchant payable' },
  refundsPending: { root: 'liabilities', words: 'refunds in flight' },
  feesEarned: { root: 'revenues', words: 'fee revenue' },
  chargebacks: { root: 'assets', words: 'chargebacks' },
};

/** The account's name in an auditor's books: `processor receivable`. */
export function accountName(account: Account): AccountName {
  return NAMES[account];
}

/** The accounts that are not empty. */
export function amountsOf(balances: Balances): readonly { readonly account: Account; readonly amountMinor: bigint }[] {
  return ACCOUNTS.map((account) => ({ account, amountMinor: balances[account] })).filter(
    ({ amountMinor }) => amountMinor !== 0n,
  );
}
