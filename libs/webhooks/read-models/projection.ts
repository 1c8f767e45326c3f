import { PAYMENT_STREAM_PREFIX, type PaymentEvent, paymentSchemas } from '@app/payments/domain';
import {
  WEBHOOK_DELIVERY_STREAM_PREFIX,
  type WebhookDeliveryEvent,
  webhookDeliverySchemas,
} from '@app/webhooks/domain';
import type { Projection } from '@app/event-sourcing';
import { webhookDelivery } from './delivery';

/**
 * What became of every webhook, for merchants and the operator to look at. A projection of its own: sending does not wait
 * for it, and its lists cost the payments' reads nothing.
 */
export const webhookDeliveriesProjection: Projection<PaymentEvent | WebhookDeliveryEvent> = {
  name: 'webhook-deliveries',
  declaredVersion: 1,
  streamPrefixes: [PAYMENT_STREAM_PREFIX, WEBHOOK_DELIVERY_STREAM_PREFIX],
  types: [
    'PaymentAuthorized',
    'PaymentCaptured',
    'PaymentFailed',
    'PaymentCancelled',
    'PaymentExpired',
    'RefundCompleted',
    'RefundFailed',
    'WebhookDelivered',
    'WebhookAttemptFailed',
    'WebhookDeliveryExhausted',
    'WebhookRedeliveryRequested',
  ],
  schemas: { ...paymentSchemas, ...webhookDeliverySchemas },
  collections: [webhookDelivery],
};

export const webhookDeliveryDocuments = {
  projection: webhookDeliveriesProjection.name,
  collection: webhookDelivery.name,
};
