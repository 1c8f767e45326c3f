import { IdempotencyModule } from '@app/idempotency/idempotency.module';
import { Module } from '@nestjs/common';
import { RequestRedeliveriesHandler } from './commands/request-redeliveries';
import { webhookControllers } from './http/controllers';
import {
  GetWebhookDeliveryHandler,
  ListWebhookDeliveriesHandler,
  ReadWebhookDeliveryHandler,
  WebhookDeliveryReader,
} from './read-models/query-handlers';

/** Webhook deliveries over HTTP. The reactor is a worker: see `apps/counterfoil/workers.ts`. */
@Module({
  imports: [IdempotencyModule],
  controllers: webhookControllers,
  providers: [
    RequestRedeliveriesHandler,
    WebhookDeliveryReader,
    GetWebhookDeliveryHandler,
    ListWebhookDeliveriesHandler,
    ReadWebhookDeliveryHandler,
  ],
})
export class WebhooksModule {}
