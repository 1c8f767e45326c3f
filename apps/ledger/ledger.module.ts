import {
  CancelPaymentHandler,
  CapturePaymentHandler,
  CreatePaymentHandler,
  CreateRefundHandler,
  merchantProviders,
  NotifyUrlPolicy,
  RequestRedeliveriesHandler,
  Vault,
} from '@app/application';
import { Configuration } from '@app/config';
import { MeasuredGateway, PaymentGateway } from '@app/gateway';
import { ApiModule, OperationsModule } from '@app/http';
import { Clock, CommandHandling, EventStore, Random, ReadStore } from '@app/kernel';
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
  ListWebhookDeliveriesHandler,
  PaymentHistory,
  ListPaymentsHandler,
  ListPublicEventsHandler,
  PaymentReader,
  ProjectionProgress,
  WebhookDeliveryReader,
} from '@app/projections';
import { HealthRegistry, Logger, Metrics, Secrets, sha256Netstrings } from '@app/runtime';
import { AllowedCidrs, WebhookNotifyUrlPolicy } from '@app/webhooks';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import type { OpenedGateway } from './gateway';

/** What exists before Nest does: everything that had to be opened, and has to be closed. */
export interface LedgerParts {
  readonly configuration: Configuration;
  readonly secrets: Secrets;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: HealthRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly eventStore: EventStore;
  readonly readStore: ReadStore;
  readonly gateway: OpenedGateway;
}

/** Ports and their adapters, for all roles. */
@Global()
@Module({})
class PortsModule {
  static of(parts: LedgerParts): DynamicModule {
    const { configuration, secrets, clock, random, eventStore } = parts;
    const providers = [
      { provide: Configuration, useValue: configuration },
      { provide: Secrets, useValue: secrets },
      { provide: Logger, useValue: parts.logger },
      { provide: Metrics, useValue: parts.metrics },
      { provide: HealthRegistry, useValue: parts.health },
      { provide: Clock, useValue: clock },
      { provide: Random, useValue: random },
      { provide: EventStore, useValue: eventStore },
      { provide: ReadStore, useValue: parts.readStore },
      { provide: PaymentGateway, useValue: new MeasuredGateway(parts.gateway.gateway, parts.metrics) },
      {
        provide: CommandHandling,
        useValue: new CommandHandling({ eventStore, clock, random, hash: sha256Netstrings }),
      },
      { provide: Vault, useFactory: () => vaultOf(secrets, random) },
      { provide: NotifyUrlPolicy, useValue: new WebhookNotifyUrlPolicy({ allowed: allowedCidrs(configuration) }) },
      ProjectionProgress,
    ];
    return { module: PortsModule, providers, exports: providers };
  }
}

/** Every role in one process, on the embedded stores. */
@Module({})
export class LedgerModule {
  static of(parts: LedgerParts): DynamicModule {
    return {
      module: LedgerModule,
      imports: [PortsModule.of(parts), CqrsModule.forRoot(), ApiModule, OperationsModule, parts.gateway.module],
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
      ],
    };
  }
}

export function allowedCidrs({ webhookAllowedCidrs }: Configuration): AllowedCidrs {
  return AllowedCidrs.parse(webhookAllowedCidrs.join(','));
}

function vaultOf({ masterKey, previousMasterKey }: Secrets, random: Random): Vault {
  return new Vault(masterKey.reveal(), previousMasterKey?.reveal() ?? null, random);
}
