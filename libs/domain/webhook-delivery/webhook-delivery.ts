import { type StoredEvent, unreachable } from '@app/kernel';
import type { WebhookDeliveryEvent } from './events';

/** A delivery that nobody has attempted yet has no events: it stands on the to-do list by its source event alone. */
export interface WebhookDelivery {
  readonly status: 'PENDING' | 'DELIVERED' | 'EXHAUSTED';
  /** Attempts whose outcome is recorded. */
  readonly attempts: number;
  /** RFC 3339 UTC; null when the next attempt may be made at once, or there will be none. */
  readonly nextAttemptAt: string | null;
}

export const NOT_ATTEMPTED: WebhookDelivery = { status: 'PENDING', attempts: 0, nextAttemptAt: null };

export function evolve(_delivery: WebhookDelivery, event: StoredEvent<WebhookDeliveryEvent>): WebhookDelivery {
  const attempts = event.data.attempt;
  switch (event.type) {
    case 'WebhookDelivered':
      return { status: 'DELIVERED', attempts, nextAttemptAt: null };
    case 'WebhookAttemptFailed':
      return { status: 'PENDING', attempts, nextAttemptAt: event.data.nextAttemptAt };
    case 'WebhookDeliveryExhausted':
      return { status: 'EXHAUSTED', attempts, nextAttemptAt: null };
    default:
      return unreachable(event);
  }
}
