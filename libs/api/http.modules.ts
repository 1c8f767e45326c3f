import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { DamagedStreamsController } from '@app/platform/http/operations/damaged-streams.controller';
import { MerchantsController } from '@app/merchants/http/merchants.controller';
import { BalancesController } from '@app/ledger/http/balances.controller';
import { PaymentListController } from '@app/payments/http/payment-list.controller';
import { PublicEventsController } from '@app/payments/http/public-events.controller';
import { ProjectionsController } from '@app/projections/http/projections.controller';
import { SecretsController } from '@app/merchants/http/secrets.controller';
import { TokensController } from '@app/merchants/http/tokens.controller';
import { AllWebhookDeliveriesController } from '@app/webhooks/http/all-webhook-deliveries.controller';
import { HealthController } from '@app/platform/http/operations/health.controller';
import { MetricsController } from '@app/platform/http/operations/metrics.controller';
import { PaymentActionsController } from '@app/payments/http/payment-actions.controller';
import { PaymentHistoryController } from '@app/payments/http/payment-history.controller';
import { PaymentsController } from '@app/payments/http/payments.controller';
import { RefundsController } from '@app/payments/http/refunds.controller';
import { WebhookDeliveriesController } from '@app/webhooks/http/webhook-deliveries.controller';

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
