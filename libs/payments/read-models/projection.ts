import type { Collection, Document, Projection, StoredEvent } from '@app/event-sourcing';
import { PAYMENT_STREAM_PREFIX, type PaymentEvent, paymentSchemas } from '@app/payments/domain';
import {
  WEBHOOK_DELIVERY_STREAM_PREFIX,
  type WebhookDeliveryEvent,
  webhookDeliverySchemas,
} from '@app/webhooks/domain';
import { disputeView } from './dispute-view';
import { paymentView } from './payment-view';
import { publicEventFeed } from './public-event-feed';
import { refundView } from './refund-view';
import { webhooksToSend } from './webhooks-to-send';

type Event = PaymentEvent | WebhookDeliveryEvent;

/**
 * Payments as merchants see them, and the webhooks about them. Both are committed in one step, so that no webhook
 * reports what a read doesn't show yet.
 */
export const paymentsProjection: Projection<Event> = {
  name: 'payments',
  declaredVersion: 4,
  streamPrefixes: [PAYMENT_STREAM_PREFIX, WEBHOOK_DELIVERY_STREAM_PREFIX],
  schemas: { ...paymentSchemas, ...webhookDeliverySchemas },
  collections: [
    onlyPaymentEvents(paymentView),
    onlyPaymentEvents(refundView),
    onlyPaymentEvents(disputeView),
    onlyPaymentEvents(publicEventFeed),
    webhooksToSend,
  ],
};

export const paymentViews = { projection: paymentsProjection.name, collection: paymentView.name };
export const refundViews = { projection: paymentsProjection.name, collection: refundView.name };
export const disputeViews = { projection: paymentsProjection.name, collection: disputeView.name };
export const publicEventEntries = { projection: paymentsProjection.name, collection: publicEventFeed.name };
export const webhooksToSendList = { projection: paymentsProjection.name, collection: webhooksToSend.name };

/** Delivery events don't change a payment's documents. */
function onlyPaymentEvents<D extends Document>(collection: Collection<D, PaymentEvent>): Collection<D, Event> {
  return {
    ...collection,
    key: (event) => (isPaymentEvent(event) ? collection.key(event) : null),
    evolve: (document, event) => (isPaymentEvent(event) ? collection.evolve(document, event) : document),
  };
}

function isPaymentEvent(event: StoredEvent<Event>): event is StoredEvent<PaymentEvent> {
  return event.streamId.startsWith(PAYMENT_STREAM_PREFIX);
}
