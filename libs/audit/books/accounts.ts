import { type Account, ACCOUNTS, type Balances } from '@app/ledger/domain';

interface AccountName {
  readonly root: 'assets' | 'liabilities' | 'revenues';
  readonly words: string;
}

/** Accounts whose name here is not that in the code, or which are no assets. */
const NAMES: Readonly<Partial<Record<string, AccountName>>> = {
  gatewayReceivable: { root: 'assets', words: 'processor receivable' },
  merchantPayable: { root: 'liabilities', words: 'merchant payable' },
  refundsPending: { root: 'liabilities', words: 'refunds in flight' },
  feesEarned: { root: 'revenues', words: 'fee revenue' },
};

/** The account's name in an auditor's books: `processor receivable`. */
export function accountName(account: Account): AccountName {
  return NAMES[account] ?? { root: 'assets', words: account.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`) };
}

/** The accounts that are not empty. */
export function amountsOf(balances: Balances): readonly { readonly account: Account; readonly amountMinor: bigint }[] {
  return ACCOUNTS.map((account) => ({ account, amountMinor: balances[account] })).filter(
    ({ amountMinor }) => amountMinor !== 0n,
  );
}
