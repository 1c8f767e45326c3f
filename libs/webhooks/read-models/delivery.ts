import { type PaymentEvent, publicEventId } from '@app/payments/domain';
import { type DeliveryFacts, deliveryIdOfEvent, type WebhookDeliveryEvent, webhookOf } from '@app/webhooks/domain';
import { type Collection, type StoredEvent, unreachable } from '@app/event-sourcing';
import { isDeliveryEvent, webhooksToSend } from '@app/payments/read-models/webhooks-to-send';
import type { DeliveryAttemptBody, DeliveryStatus, WebhookDeliveryBody } from './documents';

/** Enough to show two full retry schedules. */
export const MAX_ATTEMPTS_SHOWN = 20;

/** The delivery as shown, with what is needed to find and to update it. */
export interface WebhookDeliveryDocument extends Readonly<Record<string, unknown>> {
  readonly source: DeliveryFacts['source'];
  /** The next revision of the delivery's own stream that is not folded in yet. */
  readonly nextRevision: number;
  /** Without the payment, which is derived from `source`. */
  readonly body: StoredBody;
}

type StoredBody = Omit<WebhookDeliveryBody, 'paymentId'>;
type Event = PaymentEvent | WebhookDeliveryEvent;

export const webhookDelivery: Collection<WebhookDeliveryDocument, Event> = {
  name: 'webhookDelivery',
  key: (event) => webhooksToSend.key(event),
  evolve,
  listEntries: ({ body }) => {
    const order = deliveryOrder(body);
    const { merchantId, status } = body;
    return [
      { list: deliveryList(merchantId, null), order },
      { list: deliveryList(merchantId, status), order },
      { list: deliveryList(null, null), order },
      { list: deliveryList(null, status), order },
    ];
  },
};

/** Ordered by creation, then by id. */
export function deliveryOrder({ createdAt, deliveryId }: StoredBody): string {
  return `${createdAt}|${deliveryId}`;
}

/** The list of deliveries with this merchant and status; null means any. */
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

function changeOf(body: StoredBody, event: StoredEvent<WebhookDeliveryEvent>): Partial<StoredBody> {
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

function attempted(body: StoredBody, event: StoredEvent<Attempted>, outcome: Outcome) {
  const { attempt, durationMs } = event.data;
  const tried = { attempt, at: event.metadata.recordedAt, ...outcome, durationMs };
  return { attemptCount: attempt, attempts: [...body.attempts, tried].slice(-MAX_ATTEMPTS_SHOWN) };
}
