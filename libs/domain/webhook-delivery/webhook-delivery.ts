import { type StoredEvent, unreachable } from '@app/kernel';
import type { WebhookDeliveryEvent } from './events';

/** A delivery that nobody has attempted yet has no events: it stands on the to-do list by its source event alone. */
export interface WebhookDelivery {
  readonly status: 'PENDING' | 'DELIVERED' | 'EXHAUSTED';
  /** Attempts whose outcome is recorded, over all redeliveries. */
  readonly attempts: number;
  /** How many of them lie before the last redelivery: retries are scheduled by those that came after it. */
  readonly scheduleBegan: number;
  /** RFC 3339 UTC; null when the next attempt may be made at once, or there will be none. */
  readonly nextAttemptAt: string | null;
}

export const NOT_ATTEMPTED: WebhookDelivery = {
  status: 'PENDING',
  attempts: 0,
  scheduleBegan: 0,
  nextAttemptAt: null,
};

export function evolve(delivery: WebhookDelivery, event: StoredEvent<WebhookDeliveryEvent>): WebhookDelivery {
  const { scheduleBegan } = delivery;
  switch (event.type) {
    case 'WebhookDelivered':
      return { status: 'DELIVERED', attempts: event.data.attempt, scheduleBegan, nextAttemptAt: null };
    case 'WebhookAttemptFailed': {
      const { attempt, nextAttemptAt } = event.data;
      return { status: 'PENDING', attempts: attempt, scheduleBegan, nextAttemptAt };
    }
    case 'WebhookDeliveryExhausted':
      return { status: 'EXHAUSTED', attempts: event.data.attempt, scheduleBegan, nextAttemptAt: null };
    case 'WebhookRedeliveryRequested':
      return { ...delivery, status: 'PENDING', scheduleBegan: delivery.attempts, nextAttemptAt: null };
    default:
      return unreachable(event);
  }
}
