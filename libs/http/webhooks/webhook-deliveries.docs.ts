import { ATTEMPT_FAILURE_CODES } from '@app/domain/webhook-delivery/failure-codes';
import { DELIVERY_EXAMPLE } from '../openapi/examples';
import type { AnswerDoc, ResourceDocs } from '../openapi/operation-docs';
import { id, INTEGER, listOf, MERCHANT_ID, object, oneOf, orNull, pageOf, ref, TIME, URI } from '../openapi/schema';
import { EVENTS } from '../openapi/webhooks';

const COUNT = { type: 'integer', minimum: 1 };

/** A list of deliveries: a merchant's, or the operator's of all merchants. */
export const DELIVERY_PAGE: AnswerDoc = {
  description: 'A page of deliveries.',
  schema: pageOf(ref('WebhookDelivery')),
  example: { items: [DELIVERY_EXAMPLE], nextCursor: null },
  headers: ['Cache-Control'],
};

/** One delivery that is to be sent once more, whoever asked for it. */
export const DELIVERY_DUE: AnswerDoc = {
  description: 'It is due.',
  schema: ref('WebhookDelivery'),
  example: { ...DELIVERY_EXAMPLE, status: 'PENDING', nextAttemptAt: '2030-01-01T08:00:00.000Z' },
  headers: ['Cache-Control'],
};

export const webhookDeliveryDocs: ResourceDocs = {
  tag: { name: 'Webhook deliveries', description: "What became of a merchant's webhooks, and sending them once more." },
  schemas: {
    AttemptFailureCode: {
      oneOf: [oneOf(...Object.keys(ATTEMPT_FAILURE_CODES)), { type: 'string', pattern: '^HTTP_[1-9][0-9]{2}$' }],
    },
    WebhookDelivery: object({
      deliveryId: id('whd'),
      merchantId: MERCHANT_ID,
      eventId: id('evt'),
      eventType: oneOf(...Object.keys(EVENTS)),
      url: URI,
      status: oneOf('PENDING', 'DELIVERED', 'EXHAUSTED'),
      createdAt: TIME,
      nextAttemptAt: orNull(TIME),
      attemptCount: INTEGER,
      attempts: listOf(
        object({
          attempt: COUNT,
          at: TIME,
          outcome: oneOf('DELIVERED', 'FAILED'),
          httpStatus: orNull({ type: 'integer', minimum: 100, maximum: 999 }),
          failureCode: orNull(ref('AttemptFailureCode')),
          durationMs: { type: 'number', minimum: 0 },
        }),
      ),
    }),
  },
  operations: {
    'GET /api/v2/webhook-deliveries': {
      operationId: 'listWebhookDeliveries',
      tag: 'Webhook deliveries',
      summary: 'List webhook deliveries',
      description: 'The newest first. `EXHAUSTED` are those for which no further attempt is made by itself.',
      answers: { 200: DELIVERY_PAGE },
      errors: ['READ_MODEL_REBUILDING'],
    },
    'POST /api/v2/webhook-deliveries/:deliveryId/redeliver': {
      operationId: 'redeliverWebhook',
      tag: 'Webhook deliveries',
      summary: 'Redeliver a webhook',
      description:
        'Makes the delivery due at once, whatever became of it, and lets its retries begin anew. Its `X-Webhook-ID` stays. ' +
        'Asking again while it is due changes nothing.',
      answers: { 202: DELIVERY_DUE },
      errors: ['DELIVERY_NOT_FOUND', 'ROUTE_NOT_FOUND', 'READ_MODEL_REBUILDING'],
    },
  },
};
