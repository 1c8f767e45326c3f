/** A webhook delivery, as both APIs list it. */
export interface Delivery {
  readonly deliveryId: string;
  readonly merchantId: string;
  readonly paymentId: string;
  readonly status: string;
  readonly createdAt: string;
  readonly nextAttemptAt: string | null;
  readonly attemptCount: number;
  readonly attempts: readonly {
    readonly attempt: number;
    readonly at: string;
    readonly outcome: string;
    readonly httpStatus: number | null;
    readonly failureCode: string | null;
    readonly durationMs: number;
  }[];
}

export interface DeliveryPage {
  readonly items: readonly Delivery[];
  readonly nextCursor: string | null;
}
