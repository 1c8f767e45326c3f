import { type PaymentEvent, publicEventId } from '@app/payments/domain';
import { type DeliveryFacts, deliveryIdOfEvent, type WebhookDeliveryEvent, webhookOf } from '@app/webhooks/domain';
import { type Collection, type StoredEvent, unreachable } from '@app/event-sourcing';
import { isDeliveryEvent, webhooksToSend } from '@app/payments/read-models/webhooks-to-send';
import type { DeliveryAttemptBody, DeliveryStatus, WebhookDeliveryBody } from './documents';

/** A retry schedule that was run through twice is shown whole. */
export const MAX_ATTEMPTS_SHOWN = 20;

/** The delivery as it is answered, with what is needed to ask for it again and to carry it on. */
export interface WebhookDeliveryDocument extends Readonly<Record<string, unknown>> {
  readonly source: DeliveryFacts['source'];
  /** The next revision of the delivery's own stream that isn't in here yet. */
  readonly nextRevision: number;
  readonly body: WebhookDeliveryBody;
}

type Event = PaymentEvent | WebhookDeliveryEvent;

export const webhookDelivery: Collection<WebhookDeliveryDocument, Event> = {
  name: 'webhookDelivery',
  key: (event) => webhooksToSend.key(event),
  evolve,
  listEntries: ({ body }) => {
    const order = `${body.createdAt}|${body.deliveryId}`;
    const { merchantId, status } = body;
    return [
      { list: deliveryList(merchantId, null), order },
      { list: deliveryList(merchantId, status), order },
      { list: deliveryList(null, null), order },
      { list: deliveryList(null, status), order },
    ];
  },
};

/** The list of the deliveries with this merchant and status; null stands for any. Sorted by creation, then by id. */
export function deliveryList(merchantId: string | null, status: DeliveryStatus | null): string {
  const owner = merchantId ?? '*';
  return status === null ? owner : `${owner}|${status}`;
}

function evolve(document: WebhookDeliveryDocument | null, event: StoredEvent<Event>): WebhookDeliveryDocument | null {
  if (!isDeliveryEvent(event)) return document ?? begin(event);
  if (document === null) return null;
  return {
    ...document,
    nextRevision: event.revision + 1,
    body: { ...document.body, ...changeOf(document.body, event) },
  };
}

function begin(event: StoredEvent<PaymentEvent>): WebhookDeliveryDocument | null {
  const webhook = webhookOf(event);
  if (webhook === null) return null;
  const eventId = publicEventId(event.id);
  const createdAt = event.metadata.recordedAt;
  const { merchantId, eventType, url } = webhook;
  return {
    source: { streamId: event.streamId, revision: event.revision },
    nextRevision: 0,
    body: {
      deliveryId: deliveryIdOfEvent(eventId),
      merchantId,
      eventId,
      eventType,
      url,
      status: 'PENDING',
      createdAt,
      nextAttemptAt: createdAt,
      attemptCount: 0,
      attempts: [],
    },
  };
}

function changeOf(body: WebhookDeliveryBody, event: StoredEvent<WebhookDeliveryEvent>): Partial<WebhookDeliveryBody> {
  switch (event.type) {
    case 'WebhookDelivered': {
      const { httpStatus } = event.data;
      const tried = { outcome: 'DELIVERED', httpStatus, failureCode: null } as const;
      return { ...attempted(body, event, tried), status: 'DELIVERED', nextAttemptAt: null };
    }
    case 'WebhookAttemptFailed':
      return { ...attempted(body, event, failed(event)), nextAttemptAt: event.data.nextAttemptAt };
    case 'WebhookDeliveryExhausted':
      return { ...attempted(body, event, failed(event)), status: 'EXHAUSTED', nextAttemptAt: null };
    case 'WebhookRedeliveryRequested':
      return { status: 'PENDING', nextAttemptAt: event.metadata.recordedAt };
    default:
      return unreachable(event);
  }
}

type Outcome = Pick<DeliveryAttemptBody, 'outcome' | 'httpStatus' | 'failureCode'>;
type Attempted = Exclude<WebhookDeliveryEvent, { readonly type: 'WebhookRedeliveryRequested' }>;

function failed({ data }: Extract<Attempted, { readonly data: { readonly failure: object } }>): Outcome {
  return { outcome: 'FAILED', httpStatus: data.failure.httpStatus, failureCode: data.failure.code };
}

function attempted(body: WebhookDeliveryBody, event: StoredEvent<Attempted>, outcome: Outcome) {
  const { attempt, durationMs } = event.data;
  const tried = { attempt, at: event.metadata.recordedAt, ...outcome, durationMs };
  return { attemptCount: attempt, attempts: [...body.attempts, tried].slice(-MAX_ATTEMPTS_SHOWN) };
}
