import type { CreatedPayment } from '@app/payments/commands/commands';
import { type Currency, toAmount } from '@app/money';
import type { PaymentBody } from '@app/payments/read-models/documents';

/** The response to a create; the same for every replay, whatever the payment's current state. */
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
    // Only while the customer has to act.
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
  /** Only for a completed payment. */
  readonly amount?: PaymentBody['amount'];
  /** Only for a failed payment. */
  readonly error?: NonNullable<PaymentBody['error']>;
}

interface BatchSummary {
  total: number;
  succeeded: number;
  failed: number;
  notFound: number;
  /** Neither: being processed, authorized, cancelled, expired or damaged. */
  other: number;
}

/** Documents are immutable and the same payments are requested repeatedly, so each is serialized once. */
const itemTexts = new WeakMap<PaymentBody, string>();

/**
 * The response to a batch query, `{results, summary}`, as JSON text: one item for each requested id, in the requested
 * order, including duplicates.
 */
export function batchText(
  paymentIds: readonly string[],
  payments: readonly (PaymentBody | 'damaged' | null)[],
): string {
  const summary: BatchSummary = { total: paymentIds.length, succeeded: 0, failed: 0, notFound: 0, other: 0 };
  let results = '';
  for (const [index, paymentId] of paymentIds.entries()) {
    const payment = payments[index] ?? null;
    summary[outcomeOf(payment)] += 1;
    if (index > 0) results += ',';
    results += textOf(paymentId, payment);
  }
  return `{"results":[${results}],"summary":${JSON.stringify(summary)}}`;
}

function textOf(paymentId: string, payment: PaymentBody | 'damaged' | null): string {
  if (payment === null) return JSON.stringify({ paymentId, status: 'NOT_FOUND' } satisfies BatchItem);
  if (payment === 'damaged') return JSON.stringify({ paymentId, status: 'DAMAGED' } satisfies BatchItem);
  return itemText(payment);
}

function itemText(payment: PaymentBody): string {
  const known = itemTexts.get(payment);
  if (known !== undefined) return known;
  const text = JSON.stringify(itemOf(payment));
  itemTexts.set(payment, text);
  return text;
}

function itemOf({ paymentId, status, amount, error }: PaymentBody): BatchItem {
  if (status === 'COMPLETED') return { paymentId, status, amount };
  return status === 'FAILED' && error !== undefined ? { paymentId, status, error } : { paymentId, status };
}

function outcomeOf(payment: PaymentBody | 'damaged' | null): 'succeeded' | 'failed' | 'notFound' | 'other' {
  if (payment === null) return 'notFound';
  if (payment === 'damaged') return 'other';
  if (payment.status === 'COMPLETED') return 'succeeded';
  return payment.status === 'FAILED' ? 'failed' : 'other';
}
