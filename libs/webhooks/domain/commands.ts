import type { AttemptFailure, DeliveryFacts } from './events';
import type { WebhookDelivery } from './webhook-delivery';

export type AttemptOutcome =
  | { readonly kind: 'delivered'; readonly httpStatus: number }
  | { readonly kind: 'failed'; readonly failure: AttemptFailure; readonly nextAttemptAt: string }
  | {
      readonly kind: 'exhausted';
      readonly failure: AttemptFailure;
      readonly cause: 'ATTEMPTS_USED_UP' | 'RECEIVER_GONE';
    };

/** What became of one attempt. */
export interface RecordAttempt {
  readonly type: 'RecordAttempt';
  readonly delivery: DeliveryFacts;
  /** From 1. */
  readonly attempt: number;
  /** `scheduleBegan` of the state that the attempt was made in, and its outcome judged by. */
  readonly scheduleBegan: number;
  readonly durationMs: number;
  readonly outcome: AttemptOutcome;
  /** RFC 3339 UTC, by the clock that `nextAttemptAt` is counted from. */
  readonly now: string;
}

/** Asks for one more delivery, at once, with the whole retry schedule ahead of it. */
export interface RequestRedelivery {
  readonly type: 'RequestRedelivery';
  readonly delivery: DeliveryFacts;
  /** Only one that stands so is meant; any when absent. */
  readonly status?: WebhookDelivery['status'] | undefined;
  /** Names the request, which is made once however often it is repeated; absent where it can't be told from others. */
  readonly requestId?: string | undefined;
}

export type WebhookDeliveryCommand = RecordAttempt | RequestRedelivery;
