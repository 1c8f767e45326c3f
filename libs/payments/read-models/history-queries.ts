import type { PublicEvent } from '@app/payments/domain';
import { Query } from '@nestjs/cqrs';
import type { PaymentBody, RefundBody } from './documents';

/** The merchant's payment right after the event with this revision; null if there is none. */
export class GetPaymentAtQuery extends Query<PaymentBody | null> {
  constructor(
    readonly merchantId: string,
    readonly paymentId: string,
    readonly revision: number,
  ) {
    super();
  }
}

/** Which page of a list to return. */
export interface PageOf {
  /** `next` of the previous page, or null for the first page. */
  readonly after: string | null;
  readonly limit: number;
}

export interface HistoryPage<T> {
  readonly items: readonly T[];
  /** The cursor of the next page; null if there is none. */
  readonly next: string | null;
}

/** A payment's refunds, in the order in which they were requested; null if the merchant has no such payment. */
export class GetPaymentRefundsQuery extends Query<HistoryPage<RefundBody> | null> {
  constructor(
    readonly merchantId: string,
    readonly paymentId: string,
    readonly page: PageOf,
  ) {
    super();
  }
}

/** A payment's public events, in stream order; null if the merchant has no such payment. */
export class GetPaymentEventsQuery extends Query<HistoryPage<PublicEvent> | null> {
  constructor(
    readonly merchantId: string,
    readonly paymentId: string,
    readonly page: PageOf,
  ) {
    super();
  }
}
