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
  /** When the next attempt is due; null if there will be none. */
  readonly nextAttemptAt: string | null;
  /** The number of attempts, over all redeliveries. */
  readonly attemptCount: number;
  /** The latest attempts, oldest first. */
  readonly attempts: readonly DeliveryAttemptBody[];
}

export interface DeliveryAttemptBody {
  /** From 1; the value of X-Webhook-Attempt. */
  readonly attempt: number;
  /** When its outcome was recorded. */
  readonly at: string;
  readonly outcome: 'DELIVERED' | 'FAILED';
  /** The receiver's HTTP status; null if there was no response. */
  readonly httpStatus: number | null;
  /** What went wrong, such as `HTTP_500` or `TIMEOUT`; null for a success. */
  readonly failureCode: string | null;
  readonly durationMs: number;
}

/**
 * A delivery with the beginning of each response, for the operator only: merchants choose which hosts we call and must
 * not see the responses.
 */
export type WebhookDeliveryDetail = Omit<WebhookDeliveryBody, 'attempts'> & {
  readonly attempts: readonly (DeliveryAttemptBody & {
    /** Null if there was no response or it is not kept: for a success, or if it is no text. */
    readonly answerBeginning: string | null;
  })[];
};
