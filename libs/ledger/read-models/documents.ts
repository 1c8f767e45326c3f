/**
 * A merchant's balances in one currency, as they are answered. All are decimal strings with the currency's own decimals.
 * Money is counted from the merchant's side: what they are owed is positive, whatever an accountant calls the account. So
 * `gatewayReceivable` is always the sum of the three others.
 */
export interface BalanceBody {
  readonly currency: string;
  /** What the gateway has captured for the merchant and not refunded to payers. */
  readonly gatewayReceivable: string;
  /** What of it the merchant is owed; negative where refunds have taken more than fees had left. */
  readonly merchantPayable: string;
  /** What of it is reserved for refunds that have neither been completed nor failed. */
  readonly refundsPending: string;
  /** What of it the merchant was charged in fees; a refund gives none back. */
  readonly feesEarned: string;
}

export interface BalancesBody {
  /** One for each currency in which the merchant ever captured, in alphabetical order. */
  readonly balances: readonly BalanceBody[];
}
