/** The expected balances, computed independently: from sums of captures, refunds and disputes, not from postings. */
import type { PaymentEvent } from '@app/payments/domain';

interface Refund {
  readonly amount: bigint;
  readonly status: 'open' | 'paid' | 'failed';
}

/** One merchant's figures in one currency, as the merchant would count them: no debits, no credits. */
export class AccountBook {
  private captured = 0n;
  private fees = 0n;
  private readonly refunds = new Map<string, Refund>();
  private disputeFees = 0n;
  /** What each dispute has taken and not given back. */
  private readonly disputes = new Map<string, bigint>();

  book({ type, data }: PaymentEvent): void {
    if (type === 'PaymentCaptured') {
      this.captured += BigInt(data.amountMinor);
      this.fees += BigInt(data.feeMinor);
    }
    if (type === 'DisputeOpened') this.disputeFees += BigInt(data.feeMinor);
    if (type === 'DisputeOpened' || type === 'DisputeWon') {
      const taken = type === 'DisputeOpened' ? BigInt(data.amountMinor) : 0n;
      this.disputes.set(`${data.paymentId} ${data.disputeId}`, taken);
    }
    if (type !== 'RefundRequested' && type !== 'RefundCompleted' && type !== 'RefundFailed') return;
    const status = { RefundRequested: 'open', RefundCompleted: 'paid', RefundFailed: 'failed' } as const;
    // Refund ids of the specs repeat from payment to payment.
    const key = `${data.paymentId} ${data.refundId}`;
    this.refunds.set(key, { amount: BigInt(data.amountMinor), status: status[type] });
  }

  /** What was captured and kept, what the merchant is owed, is reserved, was charged and taken back, in minor units. */
  get figures() {
    const [open, paid] = [this.sum('open'), this.sum('paid')];
    const chargebacks = [...this.disputes.values()].reduce((sum, amount) => sum + amount, this.disputeFees);
    return {
      gatewayReceivable: this.captured - paid,
      merchantPayable: this.captured - this.fees - open - paid - chargebacks,
      refundsPending: open,
      feesEarned: this.fees,
      chargebacks,
    };
  }

  private sum(status: Refund['status']): bigint {
    const counted = [...this.refunds.values()].filter((refund) => refund.status === status);
    return counted.reduce((sum, { amount }) => sum + amount, 0n);
  }
}

/** The books of all merchants in the events, by `<merchantId>|<currency>`, in the order of their first capture. */
export function accountBooks(events: readonly PaymentEvent[]): ReadonlyMap<string, AccountBook> {
  const books = new Map<string, AccountBook>();
  for (const event of events) {
    if (event.type !== 'PaymentCaptured' && !/^Refund|^Dispute/.test(event.type)) continue;
    const { merchantId, currency } = event.data as { readonly merchantId: string; readonly currency: string };
    const key = `${merchantId}|${currency}`;
    const book = books.get(key) ?? new AccountBook();
    book.book(event);
    books.set(key, book);
  }
  return books;
}
