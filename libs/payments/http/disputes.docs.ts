import type { DisputeReason } from '@app/payments/domain';
import type { ResourceDocs } from '@app/platform/http/openapi/operation-docs';
import { DISPUTE_EXAMPLE, disputeTimeline } from './examples';
import { id, object, oneOf, pageOf, ref, TIME } from '@app/platform/http/openapi/schema';

const REASONS = {
  FRAUDULENT: true,
  UNRECOGNIZED: true,
  DUPLICATE: true,
  PRODUCT_NOT_RECEIVED: true,
  PRODUCT_UNACCEPTABLE: true,
  SUBSCRIPTION_CANCELLED: true,
  CREDIT_NOT_PROCESSED: true,
  GENERAL: true,
} as const satisfies Readonly<Record<DisputeReason, true>>;

export const DISPUTE_REASON = oneOf(...Object.keys(REASONS));

export const disputeDocs: ResourceDocs = {
  tag: { name: 'Disputes', description: 'See what cardholders claim back.' },
  schemas: {
    Dispute: object(
      {
        disputeId: id('dsp', 42),
        paymentId: id('pay'),
        status: oneOf('OPEN', 'WON', 'LOST', 'DAMAGED'),
        amount: ref('Amount'),
        fee: ref('Amount'),
        reason: DISPUTE_REASON,
        evidenceDueAt: TIME,
        timeline: object({ createdAt: TIME, wonAt: TIME, lostAt: TIME }, ['wonAt', 'lostAt']),
      },
      ['evidenceDueAt'],
    ),
  },
  operations: {
    'GET /api/v2/disputes': {
      operationId: 'listDisputes',
      tag: 'Disputes',
      summary: 'List disputes',
      description:
        'Returns disputes, the newest first. When the bank of a cardholder opens a dispute, the gateway withdraws the disputed amount and ' +
        'charges a fee, also for a payment that was refunded. A payment can be disputed more than once. What open and lost disputes withdrew ' +
        'cannot be refunded.',
      answers: {
        200: {
          description: 'A page of disputes.',
          schema: pageOf(ref('Dispute')),
          example: { items: [DISPUTE_EXAMPLE], nextCursor: null },
          headers: ['Cache-Control'],
        },
      },
      errors: ['READ_MODEL_REBUILDING'],
    },
    'GET /api/v2/disputes/:disputeId': {
      operationId: 'readDispute',
      tag: 'Disputes',
      summary: 'Read a dispute',
      description: 'Returns the dispute. A cache can show it up to 5 seconds late.',
      answers: {
        200: {
          description: 'The dispute.',
          schema: ref('Dispute'),
          example: { ...DISPUTE_EXAMPLE, status: 'WON', timeline: disputeTimeline('wonAt') },
          headers: ['Cache-Control'],
        },
      },
      errors: ['DISPUTE_NOT_FOUND', 'ROUTE_NOT_FOUND'],
    },
  },
};
