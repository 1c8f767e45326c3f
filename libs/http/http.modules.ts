import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { DamagedStreamsController } from './admin/damaged-streams.controller';
import { MerchantsController } from './admin/merchants.controller';
import { BalancesController } from './lists/balances.controller';
import { PaymentListController } from './lists/payment-list.controller';
import { PublicEventsController } from './lists/public-events.controller';
import { ProjectionsController } from './admin/projections.controller';
import { SecretsController } from './admin/secrets.controller';
import { TokensController } from './admin/tokens.controller';
import { AllWebhookDeliveriesController } from './admin/webhook-deliveries.controller';
import { HealthController } from './operations/health.controller';
import { MetricsController } from './operations/metrics.controller';
import { PaymentActionsController } from './payments/payment-actions.controller';
import { PaymentHistoryController } from './payments/payment-history.controller';
import { PaymentsController } from './payments/payments.controller';
import { RefundsController } from './payments/refunds.controller';
import { WebhookDeliveriesController } from './webhooks/webhook-deliveries.controller';

/** What merchants and the operator call. Needs `CqrsModule.forRoot()` and, as providers of any module, `MerchantDirectory`. */
@Module({
  imports: [CqrsModule],
  controllers: [
    PaymentsController,
    PaymentActionsController,
    PaymentHistoryController,
    PaymentListController,
    PublicEventsController,
    BalancesController,
    RefundsController,
    WebhookDeliveriesController,
    MerchantsController,
    TokensController,
    SecretsController,
    AllWebhookDeliveriesController,
    ProjectionsController,
    DamagedStreamsController,
  ],
})
export class ApiModule {}

/** What probes and Prometheus call, in every process. Needs `HealthRegistry` and `Metrics` from a global module. */
@Module({ controllers: [HealthController, MetricsController] })
export class OperationsModule {}
