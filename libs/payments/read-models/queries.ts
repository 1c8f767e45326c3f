import { Query } from '@nestjs/cqrs';
import type { PaymentBody, RefundBody } from './documents';

/** One payment of the merchant's, as reads show it; null when there is none. */
export class GetPaymentQuery extends Query<PaymentBody | null> {
  constructor(
    readonly merchantId: string,
    readonly paymentId: string,
  ) {
    super();
  }
}

/** One refund of the merchant's; null when there is none. */
export class GetRefundQuery extends Query<RefundBody | null> {
  constructor(
    readonly merchantId: string,
    readonly refundId: string,
  ) {
    super();
  }
}

/**
 * Several payments, in the order asked for: null for each that the merchant doesn't have, `damaged` for each whose history can't be
 * believed.
 */
export class GetPaymentsQuery extends Query<readonly (PaymentBody | 'damaged' | null)[]> {
  constructor(
    readonly merchantId: string,
    readonly paymentIds: readonly string[],
  ) {
    super();
  }
}
