import { AuditModule } from '@app/audit/audit.module';
import { LedgerModule } from '@app/ledger/ledger.module';
import { MerchantsModule } from '@app/merchants/merchants.module';
import { PaymentsModule } from '@app/payments/payments.module';
import { DamagedStreamsController } from '@app/platform/http/operations/damaged-streams.controller';
import { ProjectionsModule } from '@app/projections/projections.module';
import { WebhooksModule } from '@app/webhooks/webhooks.module';
import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';

/** All HTTP endpoints for merchants, auditors and the operator. Requires the ports from a global module. */
@Module({
  imports: [
    CqrsModule.forRoot(),
    PaymentsModule,
    LedgerModule,
    WebhooksModule,
    MerchantsModule,
    ProjectionsModule,
    AuditModule,
  ],
  controllers: [DamagedStreamsController],
})
export class ApiModule {}
