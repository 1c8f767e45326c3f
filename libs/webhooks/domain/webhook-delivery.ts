import { dueAfter, dueOn, type StoredEvent, unreachable, type Wait } from '@app/event-sourcing';
import type { WebhookAttemptFailed, WebhookDeliveryEvent } from './events';

/** A delivery that nobody has attempted yet has no events: it stands on the to-do list by its source event alone. */
export interface WebhookDelivery {
  readonly status: 'PENDING' | 'DELIVERED' | 'EXHAUSTED';
  /** Attempts whose outcome is recorded, over all redeliveries. */
  readonly attempts: number;
  /** How many of them lie before the last redelivery: retries are scheduled by those that came after it. */
  readonly scheduleBegan: number;
  /** Which requests for a redelivery it has had, of those that came with an Idempotency-Key. */
  readonly requestIds: readonly string[];
  /** Until the next attempt; null when it may be made at once, or there will be none. */
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

/** Until the attempt after a failed one. Where nothing tells by which clock, the time is taken as it stands. */
export function waitForAttempt({ nextAttemptAt, scheduledAt }: WebhookAttemptFailed['data']): Wait {
  const dueAtMs = Date.parse(nextAttemptAt);
  return scheduledAt === undefined ? dueOn(dueAtMs) : dueAfter(Date.parse(scheduledAt), dueAtMs);
}
