import { ATTEMPT_FAILURE_CODES } from '@app/webhooks/domain/failure-codes';
import type { ResourceDocs } from '@app/platform/http/openapi/operation-docs';
import { INTEGER, object, orNull, ref, TEXT } from '@app/platform/http/openapi/schema';
import {
  ANSWER_BEGINNING,
  deliveryDueDoc,
  deliveryPageDoc,
  deliverySchema,
  failureCodeSchema,
} from './webhook-deliveries.docs';

const TAG = "All merchants' webhooks";

export const allWebhookDeliveryDocs: ResourceDocs = {
  tag: { name: TAG, description: 'The webhooks of all merchants and the outcome of each attempt.' },
  schemas: {
    ExactFailureCode: failureCodeSchema(ATTEMPT_FAILURE_CODES),
    AnyWebhookDelivery: deliverySchema('ExactFailureCode'),
    WebhookDeliveryDetail: deliverySchema('ExactFailureCode', ANSWER_BEGINNING),
  },
  operations: {
    'GET /admin/v1/webhook-deliveries': {
      operationId: 'listAllWebhookDeliveries',
      tag: TAG,
      summary: "List all merchants' webhook deliveries",
      description:
        'Returns deliveries, the newest first. Several filters are combined with AND. Where merchants see the `failureCode` ' +
        '`NO_USABLE_ADDRESS`, you see `DNS_NOT_FOUND`, `DNS_FAILED` or `ADDRESS_BLOCKED`.',
      answers: { 200: deliveryPageDoc('AnyWebhookDelivery') },
      errors: ['READ_MODEL_REBUILDING', 'EVENT_STORE_UNAVAILABLE', 'HISTORY_DAMAGED'],
    },
    'GET /admin/v1/webhook-deliveries/:deliveryId': {
      operationId: 'readAnyWebhookDelivery',
      tag: TAG,
      summary: 'Read a webhook delivery',
      description:
        'Returns the delivery with its last attempts. For a failed attempt it shows the beginning of the answer.',
      answers: {
        200: { description: 'The delivery.', schema: ref('WebhookDeliveryDetail'), headers: ['Cache-Control'] },
      },
      errors: [
        'DELIVERY_NOT_FOUND',
        'ROUTE_NOT_FOUND',
        'READ_MODEL_REBUILDING',
        'EVENT_STORE_UNAVAILABLE',
        'HISTORY_DAMAGED',
      ],
    },
    'POST /admin/v1/webhook-deliveries/:deliveryId/redeliver': {
      operationId: 'redeliverAnyWebhook',
      tag: TAG,
      summary: 'Redeliver a webhook',
      description: 'Sends the webhook again, as merchants can do themselves.',
      answers: { 202: deliveryDueDoc('AnyWebhookDelivery') },
      errors: ['DELIVERY_NOT_FOUND', 'ROUTE_NOT_FOUND', 'READ_MODEL_REBUILDING'],
    },
    'POST /admin/v1/webhook-deliveries/redeliver': {
      operationId: 'redeliverWebhooks',
      tag: TAG,
      summary: 'Redeliver a range of webhooks',
      description:
        'Sends the webhooks with this status that were created in the range again, the oldest first, up to 200 with each call. While ' +
        '`nextCursor` is not null, repeat the call with it as `cursor` and a new Idempotency-Key, if you send one.',
      requestExample: { from: '2030-01-01T00:00:00Z', to: '2030-01-02T00:00:00Z', status: 'EXHAUSTED' },
      answers: {
        202: {
          description: 'They are due.',
          schema: object({ requested: INTEGER, nextCursor: orNull(TEXT) }),
          example: { requested: 12, nextCursor: null },
          headers: ['Cache-Control'],
        },
      },
      errors: ['CURSOR_INVALID', 'READ_MODEL_REBUILDING'],
    },
  },
};
