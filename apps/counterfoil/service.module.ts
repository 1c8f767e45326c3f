import { CancelPaymentHandler } from '@app/payments/commands/cancel-payment.handler';
import { CapturePaymentHandler } from '@app/payments/commands/capture-payment.handler';
import { CreatePaymentHandler } from '@app/payments/commands/create-payment.handler';
import { CreateRefundHandler } from '@app/payments/commands/create-refund.handler';
import { MerchantDirectory } from '@app/merchants/commands/directory';
import { merchantProviders } from '@app/merchants/commands';
import { RequestRedeliveriesHandler } from '@app/webhooks/commands/request-redeliveries';
import { ApiModule, OperationsModule } from '@app/api/http.modules';
import { CompleteReads } from '@app/projections/complete-reads';
import { GetBalancesHandler } from '@app/ledger/read-models/query-handler';
import {
  GetPaymentAtHandler,
  GetPaymentEventsHandler,
  GetPaymentRefundsHandler,
  PaymentHistory,
} from '@app/payments/read-models/history-query-handlers';
import {
  GetPaymentHandler,
  GetPaymentsHandler,
  GetRefundHandler,
  PaymentReader,
} from '@app/payments/read-models/query-handlers';
import {
  GetWebhookDeliveryHandler,
  ListWebhookDeliveriesHandler,
  WebhookDeliveryReader,
} from '@app/webhooks/read-models/query-handlers';
import { ListPaymentsHandler, ListPublicEventsHandler } from '@app/payments/read-models/list-query-handlers';
import { projectionAdministrationProviders } from '@app/projections/administration/handlers';
import { Partitions } from '@app/projections/partitions';
import { ProjectionUnits } from '@app/projections/administration/units';
import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import type { Parts } from './parts';
import { PortsModule } from './ports.module';
import { projectionUnits } from './projectors';
import { knowsMerchants } from './role';

/** Everything that answers merchants and the operator. */
@Module({
  imports: [CqrsModule.forRoot(), ApiModule],
  providers: [
    ...merchantProviders,
    CreatePaymentHandler,
    CreateRefundHandler,
    CapturePaymentHandler,
    CancelPaymentHandler,
    PaymentHistory,
    GetPaymentAtHandler,
    GetPaymentRefundsHandler,
    GetPaymentEventsHandler,
    PaymentReader,
    GetPaymentHandler,
    GetPaymentsHandler,
    GetRefundHandler,
    GetBalancesHandler,
    CompleteReads,
    ListPaymentsHandler,
    ListPublicEventsHandler,
    RequestRedeliveriesHandler,
    WebhookDeliveryReader,
    GetWebhookDeliveryHandler,
    ListWebhookDeliveriesHandler,
    {
      provide: ProjectionUnits,
      useFactory: (partitions: Partitions) => projectionUnits({ partitions }),
      inject: [Partitions],
    },
    ...projectionAdministrationProviders,
  ],
})
class ApiRoleModule {}

/** What a process with these roles serves over HTTP, and what its workers ask for. */
@Module({})
export class ServiceModule {
  static of(parts: Parts): DynamicModule {
    const { roles, gateway } = parts;
    const imports: NonNullable<DynamicModule['imports']> = [PortsModule.of(parts), OperationsModule];
    const isApi = roles.includes('api');
    if (isApi) imports.push(ApiRoleModule);
    if (isApi && gateway !== null) imports.push(gateway.module);
    // The API has its own, for whose changes to merchants it holds at once.
    const providers = !isApi && knowsMerchants(roles) ? [MerchantDirectory] : [];
    return { module: ServiceModule, imports, providers };
  }
}
