import type { PublicEvent } from '@app/domain/payment';
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

/** All refunds of a payment, in the order in which they were asked for; null when the merchant has no such payment. */
export class GetPaymentRefundsQuery extends Query<readonly RefundBody[] | null> {
  constructor(
    readonly merchantId: string,
    readonly paymentId: string,
  ) {
    super();
  }
}

/** What merchants are told of a payment, in its order; null when the merchant has no such payment. */
export class GetPaymentEventsQuery extends Query<readonly PublicEvent[] | null> {
  constructor(
    readonly merchantId: string,
    readonly paymentId: string,
  ) {
    super();
  }
}
