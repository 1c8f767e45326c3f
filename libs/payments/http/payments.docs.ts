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
      'Hands the card to the gateway and begins the payment. The answer is always `PROCESSING`, also for a card that will be ' +
        'declined: the outcome follows within seconds, by webhook and on reads.',
      'With `nextAction` in the answer the customer has to act first: send the browser to `redirectUrl`. After 30 minutes ' +
        'without the customer the payment is `EXPIRED`.',
      'This request has to be signed.',
    ].join('\n\n'),
    requestExample: CREATE_EXAMPLE,
    answers: {
      201: {
        description: 'The payment was begun.',
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
      'What it is for, status, timeline and transactions. While the customer still has to act, `nextAction` says where and until ' +
      'when, so that one who has lost the page can be sent there again. A payment whose create was answered is never missing ' +
      'here; what is shown may be up to 5 seconds old where a cache keeps it.',
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
      'The status of 1 to 100 payments at once, in the order asked for. One that does not exist is an item of its own, and ' +
      'does not fail the request; nor does one whose stored history is damaged, which is `DAMAGED`. `amount` stands on `COMPLETED` items only, `error` on `FAILED` ones only.',
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
      'Takes the money of a payment that was created with `captureMethod: MANUAL` and is `AUTHORIZED`: all of it, or less, in ' +
      'one capture; the rest is released. Without `amount`, or without a body, all is taken. The answer is the payment as of the request; it is ' +
      '`COMPLETED`, or `FAILED` with `CAPTURE_REFUSED`, once the gateway has decided.',
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
      'Ends a payment that is not completed, and releases what was reserved. The answer is the payment as of the request; it ' +
      'is `CANCELLED` once the gateway has given its word on everything in flight. Too late once a capture was asked for.',
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
    description: 'What webhooks told, or will tell, of this payment and its refunds, in order.',
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
  tag: { name: 'Payments', description: 'Create payments, follow them, and carry them to their end.' },
  schemas,
  operations,
};
