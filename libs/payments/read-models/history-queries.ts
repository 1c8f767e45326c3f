import type { PublicEvent } from '@app/payments/domain';
import { Query } from '@nestjs/cqrs';
import type { PaymentBody, RefundBody } from './documents';

/** One payment of the merchant's as it was right after the event with this revision; null when there is none. */
export class GetPaymentAtQuery extends Query<PaymentBody | null> {
  constructor(
    readonly merchantId: string,
    readonly paymentId: string,
    readonly revision: number,
  ) {
    super();
  }
}

/** What is wanted of a list. */
export interface PageOf {
  /** `next` of the page before, or null for the first one. */
  readonly after: string | null;
  readonly limit: number;
}

export interface HistoryPage<T> {
  readonly items: readonly T[];
  /** Where the page after this one begins; null when there is none. */
  readonly next: string | null;
}

/** A payment's refunds, in the order in which they were asked for; null when the merchant has no such payment. */
export class GetPaymentRefundsQuery extends Query<HistoryPage<RefundBody> | null> {
  constructor(
    readonly merchantId: string,
    readonly paymentId: string,
    readonly page: PageOf,
  ) {
    super();
  }
}

/** What merchants are told of a payment, in its order; null when the merchant has no such payment. */
export class GetPaymentEventsQuery extends Query<HistoryPage<PublicEvent> | null> {
  constructor(
    readonly merchantId: string,
    readonly paymentId: string,
    readonly page: PageOf,
  ) {
    super();
  }
}
