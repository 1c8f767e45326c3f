import type { Decider } from '@app/event-sourcing';
import type { WebhookDeliveryCommand } from './commands';
import { decide } from './decide';
import type { WebhookDeliveryEvent } from './events';
import { webhookDeliverySchemas } from './schemas';
import { evolve, NOT_ATTEMPTED, type WebhookDelivery } from './webhook-delivery';

export * from './commands';
export * from './delivery-of';
export * from './events';
export { webhookDeliverySchemas } from './schemas';
export { NOT_ATTEMPTED, waitForAttempt, type WebhookDelivery } from './webhook-delivery';

export const WEBHOOK_DELIVERY_STREAM_PREFIX = 'webhookDelivery-';

export function isDeliveryId(value: string): boolean {
  return /^whd_[0-9A-HJKMNP-TV-Z]{26}$/.test(value);
}

/** `webhookDelivery-<26>` of `whd_<26>`. */
export function webhookDeliveryStreamId(deliveryId: string): string {
  return WEBHOOK_DELIVERY_STREAM_PREFIX + deliveryId.slice('whd_'.length);
}

/** Whose turn a delivery takes: the merchant's, and within it the receiver's (scheme, host and port). */
export function receiverGroup(merchantId: string, url: string): string {
  return `${merchantId}|${URL.canParse(url) ? new URL(url).origin : url}`;
}

export const webhookDeliveryDecider: Decider<WebhookDelivery, WebhookDeliveryCommand, WebhookDeliveryEvent, never> = {
  schemas: webhookDeliverySchemas,
  initialState: NOT_ATTEMPTED,
  evolve,
  decide,
};
