import { dueAfter, dueOn, type StoredEvent, unreachable, type Wait } from '@app/event-sourcing';
import type { WebhookAttemptFailed, WebhookDeliveryEvent } from './events';

/**
 * A delivery that has not been attempted yet has no events: it is on the to-do list because of its source event alone.
 */
export interface WebhookDelivery {
  readonly status: 'PENDING' | 'DELIVERED' | 'EXHAUSTED';
  /** Recorded attempts, over all redeliveries. */
  readonly attempts: number;
  /** The attempts before the last redelivery: retries are scheduled by those after it. */
  readonly scheduleBegan: number;
  /** The redelivery requests so far that had an Idempotency-Key. */
  readonly requestIds: readonly string[];
  /** The wait until the next attempt; null if it is due at once or there will be none. */
  readonly wait: Wait | null;
}

export const NOT_ATTEMPTED: WebhookDelivery = {
  status: 'PENDING',
  attempts: 0,
  scheduleBegan: 0,
  requestIds: [],
  wait: null,
};

export function evolve(delivery: WebhookDelivery, event: StoredEvent<WebhookDeliveryEvent>): WebhookDelivery {
  const { scheduleBegan, requestIds } = delivery;
  const before = { scheduleBegan, requestIds };
  switch (event.type) {
    case 'WebhookDelivered':
      return { ...before, status: 'DELIVERED', attempts: event.data.attempt, wait: null };
    case 'WebhookAttemptFailed':
      return { ...before, status: 'PENDING', attempts: event.data.attempt, wait: waitForAttempt(event.data) };
    case 'WebhookDeliveryExhausted':
      return { ...before, status: 'EXHAUSTED', attempts: event.data.attempt, wait: null };
    case 'WebhookRedeliveryRequested': {
      const { requestId } = event.data;
      const asked = requestId === undefined ? requestIds : [...requestIds, requestId];
      const { attempts } = delivery;
      return { status: 'PENDING', attempts, scheduleBegan: attempts, requestIds: asked, wait: null };
    }
    default:
      return unreachable(event);
  }
}

/**
 * The wait until the attempt after a failed one. Without a recorded clock reading, `nextAttemptAt` is taken as it is.
 */
export function waitForAttempt({ nextAttemptAt, scheduledAt }: WebhookAttemptFailed['data']): Wait {
  const dueAtMs = Date.parse(nextAttemptAt);
  return scheduledAt === undefined ? dueOn(dueAtMs) : dueAfter(Date.parse(scheduledAt), dueAtMs);
}
