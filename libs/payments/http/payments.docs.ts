import type { PaymentStatus } from '@app/payments/domain';
import type { ResourceDocs } from '@app/platform/http/openapi/operation-docs';
import { CREATED_EXAMPLE, CREATE_EXAMPLE, PAYMENT_EXAMPLE, PAYMENT_ID } from './examples';
import {
  DECIMAL,
  id,
  INTEGER,
  listOf,
  MERCHANT_ID,
  object,
  oneOf,
  pageOf,
  ref,
  TEXT,
  TIME,
  URI,
} from '@app/platform/http/openapi/schema';

const STATUSES = [
  'PROCESSING',
  'AUTHORIZED',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'EXPIRED',
] as const satisfies readonly PaymentStatus[];

const PAYER = object({
  payerId: TEXT,
  maskedCardNumber: { type: 'string', pattern: '^[0-9]{0,6}\\*+[0-9]{4}$' },
});
const RISK_LEVEL = oneOf('LOW', 'MEDIUM', 'HIGH');

const schemas: ResourceDocs['schemas'] = {
  CreatedPayment: object(
    {
      paymentId: id('pay'),
      transactionId: id('txn'),
      status: oneOf('PROCESSING'),
      amount: ref('Amount'),
      merchant: object({ merchantId: MERCHANT_ID, orderId: TEXT }),
      payer: PAYER,
      timeline: object({ createdAt: TIME, expiresAt: TIME }),
      nextAction: object({ type: oneOf('3DS_AUTHENTICATION'), redirectUrl: URI, fallbackUrl: URI }),
      metadata: object({
        gatewayReference: TEXT,
        riskScore: { type: 'integer', minimum: 0, maximum: 100 },
        riskLevel: RISK_LEVEL,
      }),
    },
    ['nextAction'],
  ),
  Payment: object(
    {
      paymentId: id('pay'),
      status: oneOf(...STATUSES, 'DAMAGED'),
      amount: ref('Amount'),
      timeline: object(
        {
          createdAt: TIME,
          authorizedAt: TIME,
          capturedAt: TIME,
          completedAt: TIME,
          failedAt: TIME,
          cancelledAt: TIME,
          expiredAt: TIME,
        },
        ['authorizedAt', 'capturedAt', 'completedAt', 'failedAt', 'cancelledAt', 'expiredAt'],
      ),
      transactions: listOf(ref('Transaction')),
      orderId: TEXT,
      payer: PAYER,
      captureMethod: oneOf('AUTOMATIC', 'MANUAL'),
      riskLevel: RISK_LEVEL,
      nextAction: object({ type: oneOf('3DS_AUTHENTICATION'), expiresAt: TIME, redirectUrl: URI, fallbackUrl: URI }, [
        'redirectUrl',
        'fallbackUrl',
      ]),
      capturedAmount: ref('Amount'),
      refundedAmount: ref('Amount'),
      disputes: listOf(ref('Dispute')),
      merchantMetadata: { type: 'object', maxProperties: 50, additionalProperties: { type: 'string', maxLength: 500 } },
      error: ref('Failure'),
    },
    ['nextAction', 'error'],
  ),
  Transaction: object(
    {
      transactionId: id('txn'),
      type: oneOf('AUTHORIZATION', 'CAPTURE', 'VOID', 'REFUND'),
      amount: DECIMAL,
      status: oneOf('PENDING', 'SUCCESS', 'FAILED'),
      processorResponse: object({ code: TEXT, message: TEXT }),
    },
    ['processorResponse'],
  ),
  BatchResult: object({
    results: listOf(
      object(
        {
          paymentId: TEXT,
          status: oneOf(...STATUSES, 'NOT_FOUND', 'DAMAGED'),
          amount: ref('Amount'),
          error: ref('Failure'),
        },
        ['amount', 'error'],
      ),
    ),
    summary: object({ total: INTEGER, succeeded: INTEGER, failed: INTEGER, notFound: INTEGER, other: INTEGER }),
  }),
};

const operations: ResourceDocs['operations'] = {
  'POST /api/v2/payments': {
    operationId: 'createPayment',
    tag: 'Payments',
    summary: 'Create a payment',
    description: [
      'Registers the card with the gateway and starts the payment. The answer is always `PROCESSING`, even if the card is declined ' +
        'later. The outcome follows within seconds, by webhook and on reads.',
      "If the answer has a `nextAction`, the customer has to act first: send the customer's browser to `redirectUrl`. If the customer does " +
        'not act within 30 minutes, the payment becomes `EXPIRED`.',
      'This request must be signed.',
    ].join('\n\n'),
    requestExample: CREATE_EXAMPLE,
    answers: {
      201: {
        description: 'The payment has started.',
        schema: ref('CreatedPayment'),
        example: CREATED_EXAMPLE,
        headers: ['Location', 'X-Transaction-ID', 'X-Processing-Time', 'Idempotent-Replayed'],
      },
    },
    errors: ['GATEWAY_UNAVAILABLE'],
  },
  'GET /api/v2/payments/:paymentId': {
    operationId: 'readPayment',
    tag: 'Payments',
    summary: 'Read a payment',
    description:
      'Returns the payment with its status, timeline and transactions. While the customer has to act, `nextAction` says where and until ' +
      'when: use it to send a customer who lost the page there again. A payment is found as soon as its create was answered. A cache can ' +
      'show it up to 5 seconds late.',
    answers: {
      200: {
        description: 'The payment.',
        schema: ref('Payment'),
        example: PAYMENT_EXAMPLE,
        headers: ['Cache-Control'],
      },
    },
    errors: ['PAYMENT_NOT_FOUND', 'ROUTE_NOT_FOUND'],
  },
  'POST /api/v2/payments/batch-query': {
    operationId: 'queryPayments',
    tag: 'Payments',
    summary: 'Look up many payments',
    description:
      'Returns the status of 1 to 100 payments, in the order of the request. A payment that does not exist is `NOT_FOUND`, and one whose ' +
      'stored history is damaged is `DAMAGED`; the request succeeds all the same. Only `COMPLETED` items have an `amount`, and only ' +
      '`FAILED` items have an `error`.',
    requestExample: { paymentIds: [PAYMENT_ID, 'pay_unknown'] },
    answers: {
      200: {
        description: 'One item for each identifier.',
        schema: ref('BatchResult'),
        example: {
          results: [
            { paymentId: PAYMENT_ID, status: 'COMPLETED', amount: { value: '129.90', currency: 'EUR' } },
            { paymentId: 'pay_unknown', status: 'NOT_FOUND' },
          ],
          summary: { total: 2, succeeded: 1, failed: 0, notFound: 1, other: 0 },
        },
      },
    },
    errors: ['BATCH_SIZE_INVALID'],
  },
  'POST /api/v2/payments/:paymentId/capture': {
    operationId: 'capturePayment',
    tag: 'Payments',
    summary: 'Capture an authorized payment',
    description:
      'Captures a payment that was created with `captureMethod: MANUAL` and is `AUTHORIZED`. You can capture once, in full or in part; the ' +
      'rest is released. Without an `amount`, or without a body, the full amount is captured. The answer shows the payment at the time of ' +
      'the request. It becomes `COMPLETED`, or `FAILED` with `CAPTURE_REFUSED`, when the gateway has decided.',
    requestExample: { amount: { value: '100.00', currency: 'EUR' } },
    answers: {
      202: {
        description: 'The capture was accepted.',
        schema: ref('Payment'),
        headers: ['Idempotent-Replayed'],
      },
    },
    errors: ['PAYMENT_NOT_FOUND', 'ROUTE_NOT_FOUND', 'INVALID_STATE', 'CAPTURE_AMOUNT_EXCEEDED', 'CURRENCY_MISMATCH'],
  },
  'POST /api/v2/payments/:paymentId/cancel': {
    operationId: 'cancelPayment',
    tag: 'Payments',
    summary: 'Cancel a payment',
    description:
      'Ends a payment that is not completed, and releases the reserved amount. The answer shows the payment at the time of the request. It ' +
      'becomes `CANCELLED` when the gateway has answered everything in flight. A payment cannot be cancelled after a capture was requested.',
    requestExample: { reason: 'Out of stock' },
    answers: {
      202: {
        description: 'The cancellation was accepted.',
        schema: ref('Payment'),
        headers: ['Idempotent-Replayed'],
      },
    },
    errors: ['PAYMENT_NOT_FOUND', 'ROUTE_NOT_FOUND', 'INVALID_STATE'],
  },
  'GET /api/v2/payments/:paymentId/events': {
    operationId: 'listPaymentEvents',
    tag: 'Payments',
    summary: "List a payment's events",
    description: 'Returns the events of this payment and its refunds, in order: what webhooks tell of them.',
    answers: {
      200: {
        description: 'A page of events.',
        schema: pageOf(ref('Event')),
        headers: ['Cache-Control'],
      },
    },
    errors: ['PAYMENT_NOT_FOUND', 'ROUTE_NOT_FOUND'],
  },
};

export const paymentDocs: ResourceDocs = {
  tag: { name: 'Payments', description: 'Create payments, read them, capture or cancel them.' },
  schemas,
  operations,
};
