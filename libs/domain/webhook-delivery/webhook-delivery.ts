import { type StoredEvent, unreachable } from '@app/kernel';
import type { WebhookDeliveryEvent } from './events';

/** A delivery that nobody has attempted yet has no events: it stands on the to-do list by its source event alone. */
export interface WebhookDelivery {
  readonly status: 'PENDING' | 'DELIVERED' | 'EXHAUSTED';
  /** Attempts whose outcome is recorded. */
  readonly attempts: number;
}

export const NOT_ATTEMPTED: WebhookDelivery = { status: 'PENDING', attempts: 0 };

export function evolve(_delivery: WebhookDelivery, event: StoredEvent<WebhookDeliveryEvent>): WebhookDelivery {
  const attempts = event.data.attempt;
  switch (event.type) {
    case 'WebhookDelivered':
      return { status: 'DELIVERED', attempts };
    case 'WebhookAttemptFailed':
      return { status: 'PENDING', attempts };
    case 'WebhookDeliveryExhausted':
      return { status: 'EXHAUSTED', attempts };
    default:
      return unreachable(event);
  }
}
