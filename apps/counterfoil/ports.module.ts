import { NotifyUrlPolicy } from '@app/payments/commands/notify-url-policy';
import { KeyRing } from '@app/keys/key-ring';
import { SecretCipher } from '@app/keys/secret-cipher';
import { Configuration } from '@app/platform/configuration';
import { MeasuredGateway, PaymentGateway } from '@app/gateway';
import { Clock, CommandHandling, EventStore, Random, ReadStore } from '@app/event-sourcing';
import { CompleteReads } from '@app/projections/complete-reads';
import { ProjectionUnits } from '@app/projections/administration/units';
import { Partitions } from '@app/projections/partitions';
import { ProjectionProgress } from '@app/projections/progress';
import { DamagedStreams, ForgedEntries, HealthRegistry, Logger, Metrics } from '@app/platform/telemetry';
import { Secrets } from '@app/platform/lifecycle';
import { AllowedCidrs } from '@app/webhooks/delivery/cidr';
import { WebhookNotifyUrlPolicy } from '@app/webhooks/delivery/webhook-notify-url-policy';
import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import type { Infrastructure } from './infrastructure';
import { projectionUnits } from './projectors';
import { declaredVersionOf } from './projections';

/** Ports and their adapters, for all roles. */
@Global()
@Module({})
export class PortsModule {
  static of(infrastructure: Infrastructure): DynamicModule {
    const { configuration, secrets, clock, random, eventStore, keyRing, gateway, metrics } = infrastructure;
    const providers: Provider[] = [
      { provide: Configuration, useValue: configuration },
      { provide: Secrets, useValue: secrets },
      { provide: Logger, useValue: infrastructure.logger },
      { provide: Metrics, useValue: metrics },
      { provide: DamagedStreams, useValue: infrastructure.damaged },
      { provide: ForgedEntries, useValue: infrastructure.forged },
      { provide: HealthRegistry, useValue: infrastructure.health },
      { provide: Clock, useValue: clock },
      { provide: Random, useValue: random },
      { provide: EventStore, useValue: eventStore },
      { provide: ReadStore, useValue: infrastructure.readStore },
      { provide: Partitions, useValue: infrastructure.partitions },
      { provide: ProjectionUnits, useFactory: () => projectionUnits(infrastructure) },
      CompleteReads,
      { provide: CommandHandling, useValue: new CommandHandling({ eventStore, clock, random, proofs: keyRing }) },
      { provide: SecretCipher, useValue: infrastructure.cipher },
      { provide: KeyRing, useValue: keyRing },
      { provide: NotifyUrlPolicy, useValue: new WebhookNotifyUrlPolicy({ allowed: allowedCidrs(configuration) }) },
      { provide: ProjectionProgress, useFactory: () => new ProjectionProgress(declaredVersionOf) },
    ];
    if (gateway !== null) {
      providers.push({ provide: PaymentGateway, useValue: new MeasuredGateway(gateway.gateway, metrics) });
    }
    return { module: PortsModule, providers, exports: providers };
  }
}

export function allowedCidrs({ webhookAllowedCidrs }: Configuration): AllowedCidrs {
  return AllowedCidrs.parse(webhookAllowedCidrs.join(','));
}
