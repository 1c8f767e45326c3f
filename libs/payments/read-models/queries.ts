import { Query } from '@nestjs/cqrs';
import type { PaymentBody, RefundBody } from './documents';

/** One of the merchant's payments as shown by reads; null if there is none. */
export class GetPaymentQuery extends Query<PaymentBody | null> {
  constructor(
    readonly merchantId: string,
    readonly paymentId: string,
  ) {
    super();
  }
}

/** One of the merchant's refunds; null if there is none. */
export class GetRefundQuery extends Query<RefundBody | null> {
  constructor(
    readonly merchantId: string,
    readonly refundId: string,
  ) {
    super();
  }
}

/**
 * Several payments, in the requested order: null for each that the merchant doesn't have, `damaged` for each whose
 * stream can't be trusted.
 */
export class GetPaymentsQuery extends Query<readonly (PaymentBody | 'damaged' | null)[]> {
  constructor(
    readonly merchantId: string,
    readonly paymentIds: readonly string[],
  ) {
    super();
  }
}

/** A payment of any merchant, folded from its stream, without the customer's links; null if there is none. */
export class FoldPaymentQuery extends Query<{ readonly merchantId: string; readonly payment: PaymentBody } | null> {
  constructor(readonly paymentId: string) {
    super();
  }
}
