/*
 * Stored events are a storage format: never rename a type or a field, never change a meaning. Add optional fields only;
 * otherwise raise the schema version in ./schemas.ts, add an upcaster and a spec that holds the old JSON.
 */
import type { DomainEvent } from '@app/event-sourcing';

/** What is delivered to whom; every event repeats it, so that each one stands for itself. */
export interface DeliveryFacts {
  readonly deliveryId: string;
  readonly merchantId: string;
  readonly url: string;
  readonly eventType: string;
  /** The stored event that the webhook tells of. */
  readonly source: { readonly streamId: string; readonly revision: number };
}

/** Why an attempt failed: how far it came, and what happened there. */
export interface AttemptFailure {
  readonly stage: string;
  readonly code: string;
  /** The receiver's HTTP status, or null when none was received. */
  readonly httpStatus: number | null;
  /** The beginning of what else it said, for the operator: a text without card numbers. Absent where there was none. */
  readonly answer?: string;
}

export type WebhookDelivered = DomainEvent<
  'WebhookDelivered',
  DeliveryFacts & { readonly attempt: number; readonly httpStatus: number; readonly durationMs: number }
>;

export type WebhookAttemptFailed = DomainEvent<
  'WebhookAttemptFailed',
  DeliveryFacts & {
    readonly attempt: number;
    readonly failure: AttemptFailure;
    readonly durationMs: number;
    readonly nextAttemptAt: string;
    /** What the clock showed that `nextAttemptAt` was counted from. Absent in early events. */
    readonly scheduledAt?: string;
  }
>;

/** The last attempt failed, or the receiver said that it is gone for good. */
export type WebhookDeliveryExhausted = DomainEvent<
  'WebhookDeliveryExhausted',
  DeliveryFacts & {
    readonly attempt: number;
    readonly failure: AttemptFailure;
    readonly durationMs: number;
    readonly cause: 'ATTEMPTS_USED_UP' | 'RECEIVER_GONE';
  }
>;

/** Somebody asked for the webhook once more, whatever had become of it: it is due at once, and its retries begin anew. */
export type WebhookRedeliveryRequested = DomainEvent<
  'WebhookRedeliveryRequested',
  DeliveryFacts & {
    /** Of a request that came with an Idempotency-Key. */
    readonly requestId?: string;
  }
>;

export type WebhookDeliveryEvent =
  WebhookDelivered | WebhookAttemptFailed | WebhookDeliveryExhausted | WebhookRedeliveryRequested;
