/*
 * Stored events are a storage format: never rename a type or a field, never change a meaning. Only add optional fields.
 * For any other change, raise the schema version in ./schemas.ts and add an upcaster and a spec with the old JSON.
 */
import type { DomainEvent } from '@app/event-sourcing';

/** What is delivered to whom; repeated in every event, so that each one is self-contained. */
export interface DeliveryFacts {
  readonly deliveryId: string;
  readonly merchantId: string;
  readonly url: string;
  readonly eventType: string;
  /** The stored event that the webhook reports. */
  readonly source: { readonly streamId: string; readonly revision: number };
}

/** Why an attempt failed: the stage it reached, and the error. */
export interface AttemptFailure {
  readonly stage: string;
  readonly code: string;
  /** The receiver's HTTP status, or null when none was received. */
  readonly httpStatus: number | null;
  /**
   * The beginning of the receiver's response, for the operator: text without card numbers. Absent if there was none.
   */
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
    /** The clock reading that `nextAttemptAt` is counted from. Absent from early events. */
    readonly scheduledAt?: string;
  }
>;

/** The last attempt failed, or the receiver responded that it is permanently gone. */
export type WebhookDeliveryExhausted = DomainEvent<
  'WebhookDeliveryExhausted',
  DeliveryFacts & {
    readonly attempt: number;
    readonly failure: AttemptFailure;
    readonly durationMs: number;
    readonly cause: 'ATTEMPTS_USED_UP' | 'RECEIVER_GONE';
  }
>;

/** A redelivery was requested, whatever the status: the delivery is due at once and its retries start over. */
export type WebhookRedeliveryRequested = DomainEvent<
  'WebhookRedeliveryRequested',
  DeliveryFacts & {
    /** Set if the request had an Idempotency-Key. */
    readonly requestId?: string;
  }
>;

export type WebhookDeliveryEvent =
  WebhookDelivered | WebhookAttemptFailed | WebhookDeliveryExhausted | WebhookRedeliveryRequested;
