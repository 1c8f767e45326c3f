import type { ResourceDocs } from '@app/platform/http/openapi/operation-docs';
import { REFUND_EXAMPLE, refundTimeline } from './examples';
import { id, object, oneOf, pageOf, ref, TEXT, TIME } from '@app/platform/http/openapi/schema';

export const refundDocs: ResourceDocs = {
  tag: { name: 'Refunds', description: 'Give money of completed payments back.' },
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
        'Gives all or part of a `COMPLETED` payment back. Up to 100 refunds may be asked for, also at the same time: what is ' +
        'pending counts, so that they never exceed what was captured. The outcome follows by webhook and on reads; a failed ' +
        "refund gives its amount free again. The payment's status does not change.",
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
      description: 'A refund that was answered is never missing here.',
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
      description: 'In the order in which they were asked for.',
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
