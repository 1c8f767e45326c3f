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
  tag: { name: TAG, description: "The operator's: what became of all merchants' webhooks." },
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
        'The newest first; all filters that are given have to fit. `failureCode` is more exact than what merchants see as `NO_USABLE_ADDRESS`: `DNS_NOT_FOUND`, `DNS_FAILED` or `ADDRESS_BLOCKED`.',
      answers: { 200: deliveryPageDoc('AnyWebhookDelivery') },
      errors: ['READ_MODEL_REBUILDING', 'EVENT_STORE_UNAVAILABLE'],
    },
    'GET /admin/v1/webhook-deliveries/:deliveryId': {
      operationId: 'readAnyWebhookDelivery',
      tag: TAG,
      summary: "Read one of any merchant's webhook deliveries",
      description: 'With its last attempts, and the beginning of what the receiver answered where that was no success.',
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
      summary: "Redeliver one of any merchant's webhooks",
      description: 'As the merchant itself may do.',
      answers: { 202: deliveryDueDoc('AnyWebhookDelivery') },
      errors: ['DELIVERY_NOT_FOUND', 'ROUTE_NOT_FOUND', 'READ_MODEL_REBUILDING'],
    },
    'POST /admin/v1/webhook-deliveries/redeliver': {
      operationId: 'redeliverWebhooks',
      tag: TAG,
      summary: 'Redeliver a range of webhooks',
      description:
        'Makes the deliveries with this status that were created in the range due at once, the oldest first, up to 200 with each ' +
        'call: while `nextCursor` is not null, send the same body with it as `cursor`, and with an Idempotency-Key of its own where you send one.',
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
