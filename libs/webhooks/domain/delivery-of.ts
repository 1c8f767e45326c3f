import { type PaymentEvent, publicEventId, publicEventType } from '@app/payments/domain';
import type { StoredEvent } from '@app/event-sourcing';
import type { DeliveryFacts } from './events';

/** The webhook for the event, or null if none is sent. */
export function webhookOf(event: PaymentEvent): Pick<DeliveryFacts, 'merchantId' | 'url' | 'eventType'> | null {
  const eventType = publicEventType(event);
  if (eventType === null || !('notifyUrl' in event.data) || event.data.notifyUrl === null) return null;
  return { merchantId: event.data.merchantId, url: event.data.notifyUrl, eventType };
}

/** The delivery for the event, or null if none is sent: the event alone determines what is sent where. */
export function deliveryOf(event: StoredEvent<PaymentEvent>): DeliveryFacts | null {
  const webhook = webhookOf(event);
  if (webhook === null) return null;
  return {
    deliveryId: deliveryIdOfEvent(publicEventId(event.id)),
    ...webhook,
    source: { streamId: event.streamId, revision: event.revision },
  };
}

/** Derived from the event's id, so it is the same for every attempt and after every rebuild. */
export function deliveryIdOfEvent(eventId: string): string {
  return `whd_${eventId.slice('evt_'.length)}`;
}
