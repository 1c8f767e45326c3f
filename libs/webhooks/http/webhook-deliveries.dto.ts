import type { DeliveryStatus } from '@app/webhooks/read-models/documents';
import { IsIn } from 'class-validator';
import { PageQuery } from '@app/platform/http/query-parameters';
import { DateTime, MerchantId, Opaque, Optional, PaymentId } from '@app/platform/http/validation/rules';

const STATUSES = ['PENDING', 'DELIVERED', 'EXHAUSTED'] as const satisfies readonly DeliveryStatus[];

/** The parameters of `GET /api/v2/webhook-deliveries`. */
export class WebhookDeliveriesQuery extends PageQuery {
  @Optional()
  @IsIn(STATUSES)
  status?: DeliveryStatus;

  @Optional()
  @PaymentId()
  paymentId?: string;
}

/** The parameters of `GET /admin/v1/webhook-deliveries`. */
export class AllWebhookDeliveriesQuery extends WebhookDeliveriesQuery {
  /** All merchants when absent. */
  @Optional()
  @MerchantId()
  merchantId?: string;
}

/** The body of `POST /admin/v1/webhook-deliveries/redeliver`: which deliveries to redeliver. */
export class RedeliverDto {
  /** All merchants when absent. */
  @Optional()
  @MerchantId()
  merchantId?: string;

  /** Created at this time or later. */
  @DateTime()
  from!: string;

  /** Created before this time. */
  @DateTime()
  to!: string;

  /** Their current status. */
  @IsIn(STATUSES)
  status!: DeliveryStatus;

  /** `nextCursor` of the previous response, in an otherwise unchanged request: continues where that one stopped. */
  @Optional()
  @Opaque({ max: 1_024 })
  cursor?: string;
}
