import type { DeliveryFacts } from '@app/webhooks/domain';
import { Query } from '@nestjs/cqrs';
import type { DeliveryStatus, WebhookDeliveryBody, WebhookDeliveryDetail } from './documents';

/** A delivery as shown, and the place of its event according to the list. */
export interface ListedWebhookDelivery {
  readonly body: WebhookDeliveryBody;
  readonly source: DeliveryFacts['source'];
}

export interface WebhookDeliveryPage {
  readonly items: readonly ListedWebhookDelivery[];
  /** The order key of the last item, after which the next page starts; null if there is none. */
  readonly next: string | null;
}

/** One delivery with its full history; null if there is none, or it belongs to another merchant. */
export class GetWebhookDeliveryQuery extends Query<ListedWebhookDelivery | null | 'rebuilding'> {
  constructor(
    /** Null for the operator, who sees all merchants' deliveries. */
    readonly merchantId: string | null,
    readonly deliveryId: string,
  ) {
    super();
  }
}

/** Any merchant's delivery, with the responses of its receiver. */
export class ReadWebhookDeliveryQuery extends Query<WebhookDeliveryDetail | null | 'rebuilding'> {
  constructor(readonly deliveryId: string) {
    super();
  }
}

export interface WebhookDeliveryListRequest {
  /** Null for all merchants. */
  readonly merchantId: string | null;
  /** Null for any status. */
  readonly status: DeliveryStatus | null;
  /** Only deliveries about this payment and its refunds. */
  readonly paymentId?: string | null;
  /** By creation time. */
  readonly direction: 'ascending' | 'descending';
  /** `next` of the previous page, or a time: the page starts after it. Null for the first page. */
  readonly after: string | null;
  /** A time at which the list ends, in the direction of reading; exclusive. */
  readonly until?: string | null;
  readonly limit: number;
}

/** A page of deliveries. */
export class ListWebhookDeliveriesQuery extends Query<WebhookDeliveryPage | 'rebuilding'> {
  constructor(readonly request: WebhookDeliveryListRequest) {
    super();
  }
}
