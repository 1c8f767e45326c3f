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

/**
 * Paths of a host are mapped to this many groups. Some merchants have a path per payment, so without a limit the
 * receivers' state and the search for the next item would grow unbounded.
 */
const PATHS_OF_A_HOST = 64;

/**
 * The queue that a delivery belongs to: its merchant's and, within it, its receiver's (scheme, host, port and path).
 */
export function receiverGroup(merchantId: string, url: string): string {
  const { origin, pathname } = URL.parse(url) ?? { origin: url, pathname: '' };
  return `${merchantId}|${origin}|${fnv1a(pathname) % PATHS_OF_A_HOST}`;
}

/** An even spread is enough, and a collision affects only the same merchant, so no cryptographic hash is needed. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

/** The part of a group that one merchant's receivers at the same host share. */
export function hostOfReceiver(group: string): string {
  return group.slice(0, group.lastIndexOf('|'));
}

export const webhookDeliveryDecider: Decider<WebhookDelivery, WebhookDeliveryCommand, WebhookDeliveryEvent, never> = {
  schemas: webhookDeliverySchemas,
  initialState: NOT_ATTEMPTED,
  evolve,
  decide,
};
