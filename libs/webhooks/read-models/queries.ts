import type { DeliveryFacts } from '@app/webhooks/domain';
import { Query } from '@nestjs/cqrs';
import type { DeliveryStatus, WebhookDeliveryBody, WebhookDeliveryDetail } from './documents';

/** A delivery as it is shown, and where the event is said to stand that it tells of. */
export interface ListedWebhookDelivery {
  readonly body: WebhookDeliveryBody;
  readonly source: DeliveryFacts['source'];
}

export interface WebhookDeliveryPage {
  readonly items: readonly ListedWebhookDelivery[];
  /** The order key of the last item, where the page after this one begins; null when there is none. */
  readonly next: string | null;
}

/** One delivery with everything that has become of it up to now; null when there is none, or it is another merchant's. */
export class GetWebhookDeliveryQuery extends Query<ListedWebhookDelivery | null | 'rebuilding'> {
  constructor(
    /** Null for the operator, who sees all. */
    readonly merchantId: string | null,
    readonly deliveryId: string,
  ) {
    super();
  }
}

/** One delivery, whosever it is, with what its receiver answered. */
export class ReadWebhookDeliveryQuery extends Query<WebhookDeliveryDetail | null | 'rebuilding'> {
  constructor(readonly deliveryId: string) {
    super();
  }
}

export interface WebhookDeliveryListRequest {
  /** Null for all merchants'. */
  readonly merchantId: string | null;
  /** Null for any. */
  readonly status: DeliveryStatus | null;
  /** Only those about this payment and its refunds. */
  readonly paymentId?: string | null;
  /** By the time of creation. */
  readonly direction: 'ascending' | 'descending';
  /** `next` of the page before, or a time: the page begins behind it. Null for the first page. */
  readonly after: string | null;
  /** A time before which, in the direction of reading, the list ends. */
  readonly until?: string | null;
  readonly limit: number;
}

/** A page of deliveries. */
export class ListWebhookDeliveriesQuery extends Query<WebhookDeliveryPage | 'rebuilding'> {
  constructor(readonly request: WebhookDeliveryListRequest) {
    super();
  }
}
