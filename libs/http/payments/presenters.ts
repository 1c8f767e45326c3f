import type { CreatedPayment } from '@app/application/payments/commands';
import { type Currency, toAmount } from '@app/domain/money';
import type { PaymentBody } from '@app/projections';

/** The answer to a create; the same for every replay, whatever has become of the payment since. */
export function presentCreatedPayment({ payment, createdAt }: CreatedPayment) {
  const { amountMinor, currency, nextAction } = payment;
  return {
    paymentId: payment.paymentId,
    transactionId: payment.transactionIds.authorization,
    status: 'PROCESSING',
    amount: toAmount({ amountMinor: BigInt(amountMinor), currency: currency as Currency }),
    merchant: { merchantId: payment.merchantId, orderId: payment.orderId },
    payer: { payerId: payment.payerId, maskedCardNumber: payment.maskedCardNumber },
    timeline: { createdAt, expiresAt: payment.expiresAt },
    // Only while the customer has something to do.
    ...(nextAction === null ? {} : { nextAction }),
    metadata: {
      gatewayReference: payment.gatewayReference,
      riskScore: payment.riskScore,
      riskLevel: payment.riskLevel,
    },
  } as const;
}

interface BatchItem {
  readonly paymentId: string;
  readonly status: PaymentBody['status'] | 'NOT_FOUND';
  /** Of a completed payment only. */
  readonly amount?: PaymentBody['amount'];
  /** Of a failed payment only. */
  readonly error?: NonNullable<PaymentBody['error']>;
}

interface BatchSummary {
  total: number;
  succeeded: number;
  failed: number;
  notFound: number;
  /** What is neither: still being processed, authorized, cancelled or expired. */
  other: number;
}

/** One item for each requested identifier, in the order asked for, repetitions included. */
export function presentBatch(paymentIds: readonly string[], payments: readonly (PaymentBody | null)[]) {
  const summary: BatchSummary = { total: paymentIds.length, succeeded: 0, failed: 0, notFound: 0, other: 0 };
  const results = paymentIds.map((paymentId, index): BatchItem => {
    const payment = payments[index] ?? null;
    summary[outcomeOf(payment)] += 1;
    if (payment === null) return { paymentId, status: 'NOT_FOUND' };
    const { status, amount, error } = payment;
    if (status === 'COMPLETED') return { paymentId, status, amount };
    return status === 'FAILED' && error !== undefined ? { paymentId, status, error } : { paymentId, status };
  });
  return { results, summary };
}

function outcomeOf(payment: PaymentBody | null): 'succeeded' | 'failed' | 'notFound' | 'other' {
  if (payment === null) return 'notFound';
  if (payment.status === 'COMPLETED') return 'succeeded';
  return payment.status === 'FAILED' ? 'failed' : 'other';
}
