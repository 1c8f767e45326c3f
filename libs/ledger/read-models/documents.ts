/**
 * A merchant's sums, as returned by the API. All are decimal strings with the currency's own decimals, from the
 * merchant's point of view: what they are owed is positive, regardless of accounting signs. So `gatewayReceivable` is
 * always the sum of the four others.
 */
export interface SumsBody {
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

export interface BalanceBody extends SumsBody {
  readonly currency: string;
}

export interface BalancesBody {
  /** One for each currency in which the merchant has ever captured a payment, in alphabetical order. */
  readonly balances: readonly BalanceBody[];
}

export interface StatementEntryBody {
  /** From 1, without gaps, in the merchant's journal of this currency. */
  readonly number: number;
  readonly time: string;
  /** What happened, such as `payment.captured` or `refund.requested`. */
  readonly type: string;
  readonly eventId: string;
  readonly paymentId: string;
  /** What the entry is about besides the payment, as far as there is any. */
  readonly transactionId?: string;
  readonly refundId?: string;
  readonly disputeId?: string;
  /** What the entry adds to each sum. */
  readonly change: SumsBody;
  readonly balance: SumsBody;
}

/** A part of a journal. */
export interface StatementPage {
  readonly currency: string;
  readonly opening: SumsBody;
  readonly items: readonly StatementEntryBody[];
  readonly closing: SumsBody;
  /** The cursor of the next page; null if there is none. */
  readonly next: string | null;
}

/** The accounts of all merchants together in one currency. */
export interface TrialBalanceBody {
  readonly currency: string;
  readonly accounts: readonly { readonly account: string; readonly debit: string; readonly credit: string }[];
  /** Equal, or the books are wrong. */
  readonly totalDebit: string;
  readonly totalCredit: string;
}
