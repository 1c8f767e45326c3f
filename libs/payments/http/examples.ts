import type { JsonObject } from '@app/platform/http/openapi/schema';

/** The payment that all examples show: created, completed, partially refunded. */
export const PAYMENT_ID = 'pay_01JGFJJZ00Q8V5T3N7R2M4K6H9';
const TRANSACTION_ID = 'txn_01JGFJJZ00AAT5T3N7R2M4K6H9';
const AMOUNT = { value: '129.90', currency: 'EUR' };
const PAYER = { payerId: 'payer-77', maskedCardNumber: '411111******1111' };
const CREATED_AT = '2030-01-01T00:00:00.000Z';

export const CREATE_EXAMPLE: JsonObject = {
  amount: AMOUNT,
  order: {
    orderId: 'order-1042',
    description: 'Two books',
    items: [{ sku: 'book-1', name: 'Book', quantity: 2, unitPrice: '64.95' }],
  },
  payer: {
    payerId: 'payer-77',
    paymentMethod: {
      type: 'credit_card',
      card: {
        number: '4111111111111111',
        expiryMonth: '12',
        expiryYear: '2031',
        cvv: '123',
        holderName: 'Ada Muster',
      },
    },
  },
  notifyUrl: 'https://shop.example/webhooks',
  returnUrl: 'https://shop.example/done',
};

export const CREATED_EXAMPLE: JsonObject = {
  paymentId: PAYMENT_ID,
  transactionId: TRANSACTION_ID,
  status: 'PROCESSING',
  amount: AMOUNT,
  merchant: { merchantId: 'mer_demo', orderId: 'order-1042' },
  payer: PAYER,
  timeline: { createdAt: CREATED_AT, expiresAt: '2030-01-01T00:30:00.000Z' },
  metadata: { gatewayReference: 'gw_8d0f2c', riskScore: 12, riskLevel: 'LOW' },
};

export const PAYMENT_EXAMPLE: JsonObject = {
  paymentId: PAYMENT_ID,
  status: 'COMPLETED',
  amount: AMOUNT,
  timeline: {
    createdAt: CREATED_AT,
    authorizedAt: '2030-01-01T00:00:01.204Z',
    capturedAt: '2030-01-01T00:00:02.017Z',
    completedAt: '2030-01-01T00:00:02.017Z',
  },
  transactions: [
    {
      transactionId: TRANSACTION_ID,
      type: 'AUTHORIZATION',
      amount: '129.90',
      status: 'SUCCESS',
      processorResponse: { code: '00', message: 'Approved' },
    },
    { transactionId: 'txn_01JGFJJZ00CCT5T3N7R2M4K6H9', type: 'CAPTURE', amount: '129.90', status: 'SUCCESS' },
  ],
  orderId: 'order-1042',
  payer: PAYER,
  captureMethod: 'AUTOMATIC',
  riskLevel: 'LOW',
  capturedAmount: AMOUNT,
  refundedAmount: { value: '0.00', currency: 'EUR' },
  disputes: [],
  merchantMetadata: {},
};

export const REFUND_EXAMPLE: JsonObject = {
  refundId: 'ref_01JGFJJZ00Q8V5T3N7R2M4K6H97F3Q9X2M5C8B1DZK',
  paymentId: PAYMENT_ID,
  status: 'PENDING',
  amount: { value: '29.90', currency: 'EUR' },
  reason: 'Damaged on arrival',
  referenceId: 'rma-88',
  estimatedCompletion: '2030-01-02T00:00:00.000Z',
  timeline: { createdAt: '2030-01-01T09:00:00.000Z' },
};

/** The timeline of that refund once it has ended, with the name of its last time. */
export const refundTimeline = (endedAs: 'completedAt' | 'failedAt'): JsonObject => ({
  createdAt: '2030-01-01T09:00:00.000Z',
  [endedAs]: '2030-01-01T09:00:01.310Z',
});

export const DISPUTE_EXAMPLE: JsonObject = {
  disputeId: 'dsp_01JGFJJZ00Q8V5T3N7R2M4K6H94W8K1T6R0D3P7YBG',
  paymentId: PAYMENT_ID,
  status: 'OPEN',
  amount: AMOUNT,
  fee: { value: '15.00', currency: 'EUR' },
  reason: 'PRODUCT_NOT_RECEIVED',
  evidenceDueAt: '2030-01-22T00:00:00.000Z',
  timeline: { createdAt: '2030-01-15T09:00:00.000Z' },
};

/** The timeline of that dispute, with the name of its last time once it was decided. */
export const disputeTimeline = (decidedAs: 'wonAt' | 'lostAt' | null): JsonObject => ({
  createdAt: '2030-01-15T09:00:00.000Z',
  ...(decidedAs === null ? {} : { [decidedAs]: '2030-02-01T10:30:00.000Z' }),
});

export const DELIVERY_EXAMPLE: JsonObject = {
  deliveryId: 'whd_01JGFJK2Q0R8V5T3N7R2M4K6H9',
  merchantId: 'mer_demo',
  paymentId: PAYMENT_ID,
  eventId: 'evt_01JGFJK2Q0R8V5T3N7R2M4K6H9',
  eventType: 'payment.completed',
  url: 'https://shop.example/webhooks',
  status: 'DELIVERED',
  createdAt: '2030-01-01T00:00:02.017Z',
  nextAttemptAt: null,
  attemptCount: 2,
  attempts: [
    {
      attempt: 1,
      at: '2030-01-01T00:00:02.310Z',
      outcome: 'FAILED',
      httpStatus: 503,
      failureCode: 'HTTP_503',
      durationMs: 181,
    },
    {
      attempt: 2,
      at: '2030-01-01T00:00:07.602Z',
      outcome: 'DELIVERED',
      httpStatus: 204,
      failureCode: null,
      durationMs: 77,
    },
  ],
};
