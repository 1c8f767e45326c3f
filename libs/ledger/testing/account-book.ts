/** The expected balances, computed independently: from sums of captures and refunds, not from postings. */
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

  book({ type, data }: PaymentEvent): void {
    if (type === 'PaymentCaptured') {
      this.captured += BigInt(data.amountMinor);
      this.fees += BigInt(data.feeMinor);
    }
    if (type !== 'RefundRequested' && type !== 'RefundCompleted' && type !== 'RefundFailed') return;
    const status = { RefundRequested: 'open', RefundCompleted: 'paid', RefundFailed: 'failed' } as const;
    // Refund ids of the specs repeat from payment to payment.
    const key = `${data.paymentId} ${data.refundId}`;
    this.refunds.set(key, { amount: BigInt(data.amountMinor), status: status[type] });
  }

  /** What the gateway holds, what the merchant is owed, what is reserved and what was charged, in minor units. */
  get figures() {
    const [open, paid] = [this.sum('open'), this.sum('paid')];
    return {
      gatewayReceivable: this.captured - paid,
      merchantPayable: this.captured - this.fees - open - paid,
      refundsPending: open,
      feesEarned: this.fees,
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
    if (event.type !== 'PaymentCaptured' && !event.type.startsWith('Refund')) continue;
    const { merchantId, currency } = event.data as { readonly merchantId: string; readonly currency: string };
    const key = `${merchantId}|${currency}`;
    const book = books.get(key) ?? new AccountBook();
    book.book(event);
    books.set(key, book);
  }
  return books;
}
