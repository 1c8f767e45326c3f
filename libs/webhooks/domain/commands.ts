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

/** Records the outcome of one attempt. */
export interface RecordAttempt {
  readonly type: 'RecordAttempt';
  readonly delivery: DeliveryFacts;
  /** From 1. */
  readonly attempt: number;
  /** `scheduleBegan` of the state in which the attempt was made; `outcome` was determined by it. */
  readonly scheduleBegan: number;
  readonly durationMs: number;
  readonly outcome: AttemptOutcome;
  /** RFC 3339 UTC, by the clock that `nextAttemptAt` is counted from. */
  readonly now: string;
}

/** Requests another delivery at once, with a new retry schedule. */
export interface RequestRedelivery {
  readonly type: 'RequestRedelivery';
  readonly delivery: DeliveryFacts;
  /** Only if the delivery has this status; absent: any status. */
  readonly status?: WebhookDelivery['status'] | undefined;
  /** Identifies the request, which is carried out only once even if repeated; absent if it has no identity. */
  readonly requestId?: string | undefined;
}

export type WebhookDeliveryCommand = RecordAttempt | RequestRedelivery;
