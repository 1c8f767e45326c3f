import { assert } from '@app/event-sourcing';

/**
 * The accounts that a merchant has in each currency. Balances are signed: debits are positive, credits negative. All
 * accounts of a merchant in one currency always sum to zero.
 */
export const ACCOUNTS = [
  'gatewayReceivable',
  'merchantPayable',
  'refundsPending',
  'feesEarned',
  'chargebacks',
] as const;

/**
 * - `gatewayReceivable`: what the gateway has captured from payers and not refunded. Debit.
 * - `merchantPayable`: the merchant's part of it. Credit; a debit once refunds and disputes exceed what was left after
 *   fees.
 * - `refundsPending`: reserved for refunds that the gateway has not settled yet. Credit.
 * - `feesEarned`: the fees charged. Credit; a refund returns no fee.
 * - `chargebacks`: what the gateway took back for disputes that are open or lost, and its fees for all disputes. Credit:
 *   it stands against `gatewayReceivable`, and the gateway owes the difference.
 */
export type Account = (typeof ACCOUNTS)[number];

export interface Entry {
  readonly account: Account;
  /** Signed minor units: a debit is positive, a credit negative. */
  readonly amountMinor: bigint;
}

declare const balanced: unique symbol;

/** The effect of one event on the accounts of one merchant in one currency. Only `balancedPosting` creates one. */
export interface Posting {
  readonly [balanced]: true;
  readonly merchantId: string;
  readonly currency: string;
  /** At least two, none of them zero; they sum to zero. */
  readonly entries: readonly Entry[];
}

/**
 * The posting of these entries; entries of zero are left out.
 *
 * @throws AssertionFailedError if they don't sum to zero, or all are zero: such a posting must not exist.
 */
export function balancedPosting(merchantId: string, currency: string, entries: readonly Entry[]): Posting {
  const moving = entries.filter(({ amountMinor }) => amountMinor !== 0n);
  const sum = moving.reduce((total, { amountMinor }) => total + amountMinor, 0n);
  assert(sum === 0n, `a posting for ${merchantId} in ${currency} is ${sum} out of balance`);
  assert(moving.length > 0, `a posting for ${merchantId} in ${currency} moves nothing`);
  return Object.freeze({ merchantId, currency, entries: Object.freeze(moving) }) as Posting;
}
