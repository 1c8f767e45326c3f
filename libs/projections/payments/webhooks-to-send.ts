import { type Collection, type Due, dueAtOnce, type StoredEvent, unreachable, type Wait } from '@app/kernel';
import { type PaymentEvent, publicEventId, publicEventType } from '@app/domain/payment';
import {
  type DeliveryFacts,
  deliveryIdOfEvent,
  receiverGroup,
  waitForAttempt,
  WEBHOOK_DELIVERY_STREAM_PREFIX,
  type WebhookDeliveryEvent,
} from '@app/domain/webhook-delivery';

/** A webhook that has not been acknowledged yet. */
export interface WebhookToSend extends DeliveryFacts, Wait, Readonly<Record<string, unknown>> {}

type Event = PaymentEvent | WebhookDeliveryEvent;

/**
 * The to-do list of the webhook workers. An announced event puts a delivery on it, a failed attempt puts it off, an
 * acknowledged or exhausted one takes it off, and a redelivery brings it back.
 */
export const webhooksToSend: Collection<WebhookToSend, Event> = {
  name: 'webhooksToSend',
  key: (event) =>
    isDeliveryEvent(event)
      ? event.data.deliveryId
      : announced(event) === null
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
    case 'WebhookRedeliveryRequested':
      return { ...event.data, ...dueAtOnce(Date.parse(event.metadata.recordedAt)) };
    case 'WebhookDelivered':
    case 'WebhookDeliveryExhausted':
      return null;
    default:
      return unreachable(event);
  }
}

function begin(event: StoredEvent<PaymentEvent>): WebhookToSend | null {
  const announcement = announced(event);
  if (announcement === null) return null;
  return {
    deliveryId: deliveryIdOfEvent(publicEventId(event.id)),
    ...announcement,
    source: { streamId: event.streamId, revision: event.revision },
    ...dueAtOnce(Date.parse(event.metadata.recordedAt)),
  };
}

/** To whom the event is announced, or null when nobody is told. */
export function announced(event: PaymentEvent): Pick<DeliveryFacts, 'merchantId' | 'url' | 'eventType'> | null {
  const eventType = publicEventType(event);
  if (eventType === null || !('notifyUrl' in event.data) || event.data.notifyUrl === null) return null;
  return { merchantId: event.data.merchantId, url: event.data.notifyUrl, eventType };
}

export function isDeliveryEvent(event: StoredEvent<Event>): event is StoredEvent<WebhookDeliveryEvent> {
  return event.streamId.startsWith(WEBHOOK_DELIVERY_STREAM_PREFIX);
}
