import { type Collection, type Due, dueAtOnce, type StoredEvent, unreachable, type Wait } from '@app/event-sourcing';
import { type PaymentEvent, publicEventId } from '@app/payments/domain';
import {
  type DeliveryFacts,
  deliveryIdOfEvent,
  deliveryOf,
  receiverGroup,
  waitForAttempt,
  WEBHOOK_DELIVERY_STREAM_PREFIX,
  type WebhookDeliveryEvent,
  webhookOf,
} from '@app/webhooks/domain';

/** A webhook that has not been acknowledged yet. */
export interface WebhookToSend extends DeliveryFacts, Wait, Readonly<Record<string, unknown>> {}

type Event = PaymentEvent | WebhookDeliveryEvent;

/**
 * The to-do list of the webhook workers. A public event adds a delivery, a failed attempt defers it, an acknowledged or
 * exhausted delivery is removed, and a redelivery adds it again.
 */
export const webhooksToSend: Collection<WebhookToSend, Event> = {
  name: 'webhooksToSend',
  key: (event) =>
    isDeliveryEvent(event)
      ? event.data.deliveryId
      : webhookOf(event) === null
        ? null
        : deliveryIdOfEvent(publicEventId(event.id)),
  evolve,
  due: ({ waitsFromMs, dueAtMs, merchantId, url }): Due => ({
    waitsFromMs,
    dueAtMs,
    group: receiverGroup(merchantId, url),
  }),
};

function evolve(item: WebhookToSend | null, event: StoredEvent<Event>): WebhookToSend | null {
  if (!isDeliveryEvent(event)) return item ?? begin(event);
  switch (event.type) {
    case 'WebhookAttemptFailed':
      return item === null ? null : { ...item, ...waitForAttempt(event.data) };
    case 'WebhookRedeliveryRequested': {
      const { requestId: _asked, ...delivery } = event.data;
      return { ...delivery, ...dueAtOnce(Date.parse(event.metadata.recordedAt)) };
    }
    case 'WebhookDelivered':
    case 'WebhookDeliveryExhausted':
      return null;
    default:
      return unreachable(event);
  }
}

function begin(event: StoredEvent<PaymentEvent>): WebhookToSend | null {
  const delivery = deliveryOf(event);
  return delivery && { ...delivery, ...dueAtOnce(Date.parse(event.metadata.recordedAt)) };
}

export function isDeliveryEvent(event: StoredEvent<Event>): event is StoredEvent<WebhookDeliveryEvent> {
  return event.streamId.startsWith(WEBHOOK_DELIVERY_STREAM_PREFIX);
}
