import type { WebhookDelivery } from '@app/webhooks/domain';

export type DeliveryStatus = WebhookDelivery['status'];

/** A webhook delivery as lists show it. Times are RFC 3339 UTC with milliseconds. */
export interface WebhookDeliveryBody {
  readonly deliveryId: string;
  readonly merchantId: string;
  readonly paymentId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly url: string;
  readonly status: DeliveryStatus;
  readonly createdAt: string;
  /** When the next attempt is due; null where there will be none. */
  readonly nextAttemptAt: string | null;
  /** How many attempts there were, over all redeliveries. */
  readonly attemptCount: number;
  /** The last of them, the oldest first. */
  readonly attempts: readonly DeliveryAttemptBody[];
}

export interface DeliveryAttemptBody {
  /** From 1; what X-Webhook-Attempt told. */
  readonly attempt: number;
  /** When its outcome was recorded. */
  readonly at: string;
  readonly outcome: 'DELIVERED' | 'FAILED';
  /** The receiver's answer; null where there was none. */
  readonly httpStatus: number | null;
  /** What went wrong, such as `HTTP_500` or `TIMEOUT`; null where nothing did. */
  readonly failureCode: string | null;
  readonly durationMs: number;
}

/** A delivery with the beginning of each answer, for the operator: merchants choose whom we ask, and may not learn what it said. */
export type WebhookDeliveryDetail = Omit<WebhookDeliveryBody, 'attempts'> & {
  readonly attempts: readonly (DeliveryAttemptBody & {
    /** Null where there was none, or it is not kept: of a success, or no text. */
    readonly answerBeginning: string | null;
  })[];
};
