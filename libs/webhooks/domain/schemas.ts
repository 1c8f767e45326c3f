import type { EventSchemas } from '@app/event-sourcing';
import type { WebhookDeliveryEvent } from './events';

/** The current schema version of every event in a delivery's stream. */
export const webhookDeliverySchemas: EventSchemas<WebhookDeliveryEvent> = {
  WebhookDelivered: { version: 1 },
  WebhookAttemptFailed: { version: 1 },
  WebhookDeliveryExhausted: { version: 1 },
  WebhookRedeliveryRequested: { version: 1 },
};
