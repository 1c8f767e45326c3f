import { dueAfter, dueOn, type StoredEvent, unreachable, type Wait } from '@app/kernel';
import type { WebhookAttemptFailed, WebhookDeliveryEvent } from './events';

/** A delivery that nobody has attempted yet has no events: it stands on the to-do list by its source event alone. */
export interface WebhookDelivery {
  readonly status: 'PENDING' | 'DELIVERED' | 'EXHAUSTED';
  /** Attempts whose outcome is recorded, over all redeliveries. */
  readonly attempts: number;
  /** How many of them lie before the last redelivery: retries are scheduled by those that came after it. */
  readonly scheduleBegan: number;
  /** Until the next attempt; null when it may be made at once, or there will be none. */
  readonly wait: Wait | null;
}

export const NOT_ATTEMPTED: WebhookDelivery = {
  status: 'PENDING',
  attempts: 0,
  scheduleBegan: 0,
  wait: null,
};

export function evolve(delivery: WebhookDelivery, event: StoredEvent<WebhookDeliveryEvent>): WebhookDelivery {
  const { scheduleBegan } = delivery;
  switch (event.type) {
    case 'WebhookDelivered':
      return { status: 'DELIVERED', attempts: event.data.attempt, scheduleBegan, wait: null };
    case 'WebhookAttemptFailed': {
      return { status: 'PENDING', attempts: event.data.attempt, scheduleBegan, wait: waitForAttempt(event.data) };
    }
    case 'WebhookDeliveryExhausted':
      return { status: 'EXHAUSTED', attempts: event.data.attempt, scheduleBegan, wait: null };
    case 'WebhookRedeliveryRequested':
      return { ...delivery, status: 'PENDING', scheduleBegan: delivery.attempts, wait: null };
    default:
      return unreachable(event);
  }
}

/** Until the attempt after a failed one. Where nothing tells by which clock, the time is taken as it stands. */
export function waitForAttempt({ nextAttemptAt, scheduledAt }: WebhookAttemptFailed['data']): Wait {
  const dueAtMs = Date.parse(nextAttemptAt);
  return scheduledAt === undefined ? dueOn(dueAtMs) : dueAfter(Date.parse(scheduledAt), dueAtMs);
}
