import { SHOWN_FAILURE_CODES } from '@app/webhooks/domain/failure-codes';
import { DELIVERY_EXAMPLE } from '@app/payments/http/examples';
import type { AnswerDoc, ResourceDocs } from '@app/platform/http/openapi/operation-docs';
import {
  id,
  INTEGER,
  type JsonObject,
  listOf,
  MERCHANT_ID,
  object,
  oneOf,
  orNull,
  pageOf,
  ref,
  TEXT,
  TIME,
  URI,
} from '@app/platform/http/openapi/schema';
import { EVENTS } from '@app/payments/http/public-events.docs';

const COUNT = { type: 'integer', minimum: 1 };

/** The merchants' and the operator's deliveries differ in what they show of hosts that were not found. */
type Shown = 'WebhookDelivery' | 'AnyWebhookDelivery';

export const deliveryPageDoc = (shown: Shown): AnswerDoc => ({
  description: 'A page of deliveries.',
  schema: pageOf(ref(shown)),
  example: { items: [DELIVERY_EXAMPLE], nextCursor: null },
  headers: ['Cache-Control'],
});

/** The response to a redelivery. */
export const deliveryDueDoc = (shown: Shown): AnswerDoc => ({
  description: 'It is due.',
  schema: ref(shown),
  example: { ...DELIVERY_EXAMPLE, status: 'PENDING', nextAttemptAt: '2030-01-01T08:00:00.000Z' },
  headers: ['Cache-Control'],
});

/** Shown to the operator only. */
export const ANSWER_BEGINNING = { answerBeginning: orNull(TEXT) };

export function failureCodeSchema(codes: Readonly<Record<string, string>>): JsonObject {
  return { oneOf: [oneOf(...Object.keys(codes)), { type: 'string', pattern: '^HTTP_[1-9][0-9]{2}$' }] };
}

export function deliverySchema(failureCode: string, ofAttempt: JsonObject = {}): JsonObject {
  return object({
    deliveryId: id('whd'),
    merchantId: MERCHANT_ID,
    paymentId: id('pay'),
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
        failureCode: orNull(ref(failureCode)),
        durationMs: { type: 'number', minimum: 0 },
        ...ofAttempt,
      }),
    ),
  });
}

export const webhookDeliveryDocs: ResourceDocs = {
  tag: { name: 'Webhook deliveries', description: 'Your webhooks and the outcome of each attempt.' },
  schemas: {
    AttemptFailureCode: failureCodeSchema(SHOWN_FAILURE_CODES),
    WebhookDelivery: deliverySchema('AttemptFailureCode'),
  },
  operations: {
    'GET /api/v2/webhook-deliveries': {
      operationId: 'listWebhookDeliveries',
      tag: 'Webhook deliveries',
      summary: 'List webhook deliveries',
      description:
        'Returns deliveries, the newest first. Several filters are combined with AND. For an `EXHAUSTED` delivery there are no more automatic attempts.',
      answers: { 200: deliveryPageDoc('WebhookDelivery') },
      errors: ['READ_MODEL_REBUILDING'],
    },
    'GET /api/v2/webhook-deliveries/:deliveryId': {
      operationId: 'readWebhookDelivery',
      tag: 'Webhook deliveries',
      summary: 'Read a webhook delivery',
      description: 'Returns the delivery with the outcome of its last attempts.',
      answers: {
        200: {
          description: 'The delivery.',
          schema: ref('WebhookDelivery'),
          example: DELIVERY_EXAMPLE,
          headers: ['Cache-Control'],
        },
      },
      errors: ['DELIVERY_NOT_FOUND', 'ROUTE_NOT_FOUND', 'READ_MODEL_REBUILDING'],
    },
    'POST /api/v2/webhook-deliveries/:deliveryId/redeliver': {
      operationId: 'redeliverWebhook',
      tag: 'Webhook deliveries',
      summary: 'Redeliver a webhook',
      description:
        'Sends the webhook again at once, whatever its status, and restarts its retries. It keeps its `X-Webhook-ID`. While the delivery is ' +
        'due, another request changes nothing.',
      answers: { 202: deliveryDueDoc('WebhookDelivery') },
      errors: ['DELIVERY_NOT_FOUND', 'ROUTE_NOT_FOUND', 'READ_MODEL_REBUILDING'],
    },
  },
};
