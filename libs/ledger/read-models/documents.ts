/**
 * A merchant's balances in one currency, as returned by the API. All are decimal strings with the currency's own
 * decimals, from the merchant's point of view: what they are owed is positive, regardless of accounting signs. So
 * `gatewayReceivable` is always the sum of the four others.
 */
export interface BalanceBody {
  readonly currency: string;
  /** Captured for the merchant and not refunded to payers. */
  readonly gatewayReceivable: string;
  /** The part that the merchant is owed; negative if refunds and disputes exceed what was left after fees. */
  readonly merchantPayable: string;
  /** The part reserved for refunds that have neither completed nor failed. */
  readonly refundsPending: string;
  /** The part charged as fees; a refund returns none. */
  readonly feesEarned: string;
  /** The part that the gateway took back: for open and lost disputes, and as its fees for all disputes. */
  readonly chargebacks: string;
}

export interface BalancesBody {
  /** One for each currency in which the merchant has ever captured a payment, in alphabetical order. */
  readonly balances: readonly BalanceBody[];
}
