import type { AttemptFailure, DeliveryFacts } from './events';

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
  readonly kind: 'RecordAttempt';
  readonly delivery: DeliveryFacts;
  /** From 1. */
  readonly attempt: number;
  readonly durationMs: number;
  readonly outcome: AttemptOutcome;
}

export type WebhookDeliveryCommand = RecordAttempt;
