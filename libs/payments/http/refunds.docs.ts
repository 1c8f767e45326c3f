import type { ResourceDocs } from '@app/platform/http/openapi/operation-docs';
import { REFUND_EXAMPLE, refundTimeline } from './examples';
import { id, object, oneOf, pageOf, ref, TEXT, TIME } from '@app/platform/http/openapi/schema';

export const refundDocs: ResourceDocs = {
  tag: { name: 'Refunds', description: 'Give the money of completed payments back.' },
  schemas: {
    Refund: object(
      {
        refundId: id('ref', 42),
        paymentId: id('pay'),
        status: oneOf('PENDING', 'COMPLETED', 'FAILED'),
        amount: ref('Amount'),
        reason: TEXT,
        referenceId: TEXT,
        estimatedCompletion: TIME,
        timeline: object({ createdAt: TIME, completedAt: TIME, failedAt: TIME }, ['completedAt', 'failedAt']),
        error: ref('Failure'),
      },
      ['reason', 'referenceId', 'error'],
    ),
  },
  operations: {
    'POST /api/v2/payments/:paymentId/refunds': {
      operationId: 'createRefund',
      tag: 'Refunds',
      summary: 'Refund a payment',
      description:
        'Refunds a `COMPLETED` payment, in full or in part. A payment can have up to 100 refunds, also at the same time. Together they ' +
        'never exceed the captured amount: a pending refund reserves its amount, and a failed one releases it. The outcome follows by webhook ' +
        "and on reads. The payment's status does not change.",
      requestExample: {
        amount: { value: '29.90', currency: 'EUR' },
        reason: 'Damaged on arrival',
        referenceId: 'rma-88',
      },
      answers: {
        202: {
          description: 'The refund was accepted.',
          schema: ref('Refund'),
          example: REFUND_EXAMPLE,
          headers: ['Location', 'Idempotent-Replayed'],
        },
      },
      errors: [
        'PAYMENT_NOT_FOUND',
        'ROUTE_NOT_FOUND',
        'INVALID_STATE',
        'TOO_MANY_REFUNDS',
        'REFUND_AMOUNT_EXCEEDED',
        'CURRENCY_MISMATCH',
      ],
    },
    'GET /api/v2/refunds/:refundId': {
      operationId: 'readRefund',
      tag: 'Refunds',
      summary: 'Read a refund',
      description: 'Returns the refund. It is found as soon as its request was answered.',
      answers: {
        200: {
          description: 'The refund.',
          schema: ref('Refund'),
          example: { ...REFUND_EXAMPLE, status: 'COMPLETED', timeline: refundTimeline('completedAt') },
          headers: ['Cache-Control'],
        },
      },
      errors: ['REFUND_NOT_FOUND', 'ROUTE_NOT_FOUND'],
    },
    'GET /api/v2/payments/:paymentId/refunds': {
      operationId: 'listRefunds',
      tag: 'Refunds',
      summary: "List a payment's refunds",
      description: 'Returns the refunds, the oldest first.',
      answers: {
        200: {
          description: 'A page of refunds.',
          schema: pageOf(ref('Refund')),
          example: { items: [REFUND_EXAMPLE], nextCursor: null },
          headers: ['Cache-Control'],
        },
      },
      errors: ['PAYMENT_NOT_FOUND', 'ROUTE_NOT_FOUND'],
    },
  },
};
