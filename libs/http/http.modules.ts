import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { MerchantsController } from './admin/merchants.controller';
import { HealthController } from './operations/health.controller';
import { MetricsController } from './operations/metrics.controller';
import { PaymentsController } from './payments/payments.controller';
import { RefundsController } from './payments/refunds.controller';

/** What merchants and the operator call. Needs `CqrsModule.forRoot()` and, as providers of any module, `MerchantDirectory`. */
@Module({
  imports: [CqrsModule],
  controllers: [PaymentsController, RefundsController, MerchantsController],
})
export class ApiModule {}

/** What probes and Prometheus call, in every process. Needs `HealthRegistry` and `Metrics` from a global module. */
@Module({ controllers: [HealthController, MetricsController] })
export class OperationsModule {}
