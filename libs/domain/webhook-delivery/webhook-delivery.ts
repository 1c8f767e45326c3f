import { type StoredEvent, unreachable } from '@app/kernel';
import type { WebhookDeliveryEvent } from './events';

/** A delivery that nobody has attempted yet has no events: it stands on the to-do list by its source event alone. */
export interface WebhookDelivery {
  readonly status: 'PENDING' | 'DELIVERED' | 'EXHAUSTED';
  /** Attempts whose outcome is recorded, over all redeliveries. */
  readonly attempts: number;
  /** How many of them lie before the last redelivery: retries are scheduled by those that came after it. */
  readonly scheduleBegan: number;
  /** Which requests for a redelivery it has had, of those that came with an Idempotency-Key. */
  readonly requestIds: readonly string[];
  /** RFC 3339 UTC; null when the next attempt may be made at once, or there will be none. */
  readonly nextAttemptAt: string | null;
}

export const NOT_ATTEMPTED: WebhookDelivery = {
  status: 'PENDING',
  attempts: 0,
  scheduleBegan: 0,
  requestIds: [],
  nextAttemptAt: null,
};

export function evolve(delivery: WebhookDelivery, event: StoredEvent<WebhookDeliveryEvent>): WebhookDelivery {
  const { scheduleBegan, requestIds } = delivery;
  const before = { scheduleBegan, requestIds };
  switch (event.type) {
    case 'WebhookDelivered':
      return { ...before, status: 'DELIVERED', attempts: event.data.attempt, nextAttemptAt: null };
    case 'WebhookAttemptFailed': {
      const { attempt, nextAttemptAt } = event.data;
      return { ...before, status: 'PENDING', attempts: attempt, nextAttemptAt };
    }
    case 'WebhookDeliveryExhausted':
      return { ...before, status: 'EXHAUSTED', attempts: event.data.attempt, nextAttemptAt: null };
    case 'WebhookRedeliveryRequested': {
      const { requestId } = event.data;
      const asked = requestId === undefined ? requestIds : [...requestIds, requestId];
      const { attempts } = delivery;
      return { status: 'PENDING', attempts, scheduleBegan: attempts, requestIds: asked, nextAttemptAt: null };
    }
    default:
      return unreachable(event);
  }
}
