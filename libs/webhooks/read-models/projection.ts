import { PAYMENT_STREAM_PREFIX, type PaymentEvent, paymentSchemas } from '@app/payments/domain';
import {
  WEBHOOK_DELIVERY_STREAM_PREFIX,
  type WebhookDeliveryEvent,
  webhookDeliverySchemas,
} from '@app/webhooks/domain';
import type { Projection } from '@app/event-sourcing';
import { webhookDelivery } from './delivery';

/**
 * The status of every webhook, for merchants and the operator. A separate projection, so that sending does not wait for
 * it and its lists don't slow down reads of payments.
 */
export const webhookDeliveriesProjection: Projection<PaymentEvent | WebhookDeliveryEvent> = {
  name: 'webhook-deliveries',
  declaredVersion: 2,
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
