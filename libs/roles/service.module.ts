import {
  CancelPaymentHandler,
  CapturePaymentHandler,
  CreatePaymentHandler,
  CreateRefundHandler,
  MerchantDirectory,
  merchantProviders,
  RequestRedeliveriesHandler,
} from '@app/application';
import { ApiModule, OperationsModule } from '@app/http';
import {
  CompleteReads,
  GetBalancesHandler,
  GetPaymentAtHandler,
  GetPaymentEventsHandler,
  GetPaymentHandler,
  GetPaymentRefundsHandler,
  GetPaymentsHandler,
  GetRefundHandler,
  GetWebhookDeliveryHandler,
  ListPaymentsHandler,
  ListPublicEventsHandler,
  ListWebhookDeliveriesHandler,
  PaymentHistory,
  PaymentReader,
  projectionAdministrationProviders,
  Partitions,
  ProjectionUnits,
  WebhookDeliveryReader,
} from '@app/projections';
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
