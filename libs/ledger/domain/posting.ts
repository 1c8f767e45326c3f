import { assert } from '@app/event-sourcing';

/**
 * The accounts that a merchant has in each currency. An account's sum is signed: what was debited to it is positive, what
 * was credited is negative. All accounts of a merchant in a currency sum to zero, always.
 */
export const ACCOUNTS = ['gatewayReceivable', 'merchantPayable', 'refundsPending', 'feesEarned'] as const;

/**
 * - `gatewayReceivable`: what the gateway has taken from payers and not given back to them. Debit.
 * - `merchantPayable`: what of it is the merchant's. Credit; a debit once refunds have taken more than was left after fees.
 * - `refundsPending`: what is reserved for refunds that the gateway has not settled yet. Credit.
 * - `feesEarned`: what merchants were charged. Credit; a refund gives no fee back.
 */
export type Account = (typeof ACCOUNTS)[number];

export interface Entry {
  readonly account: Account;
  /** Signed minor units: a debit is positive, a credit negative. */
  readonly amountMinor: bigint;
}

declare const balanced: unique symbol;

/** What one event does to the accounts of one merchant in one currency. Only `balancedPosting` makes one. */
export interface Posting {
  readonly [balanced]: true;
  readonly merchantId: string;
  readonly currency: string;
  /** At least two, none of them zero; they sum to zero. */
  readonly entries: readonly Entry[];
}

/**
 * The posting of these entries; those of nothing are left out.
 *
 * @throws AssertionFailedError when they don't sum to zero, or nothing is moved: such a posting must not exist.
 */
export function balancedPosting(merchantId: string, currency: string, entries: readonly Entry[]): Posting {
  const moving = entries.filter(({ amountMinor }) => amountMinor !== 0n);
  const sum = moving.reduce((total, { amountMinor }) => total + amountMinor, 0n);
  assert(sum === 0n, `a posting for ${merchantId} in ${currency} is ${sum} out of balance`);
  assert(moving.length > 0, `a posting for ${merchantId} in ${currency} moves nothing`);
  return Object.freeze({ merchantId, currency, entries: Object.freeze(moving) }) as Posting;
}
