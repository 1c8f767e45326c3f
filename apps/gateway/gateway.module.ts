import {
  type GatewayMode,
  GatewayProtocol,
  GatewayProtocolModule,
  type SandboxGateway,
  SandboxPagesModule,
} from '@app/gateway';
import { OperationsModule } from '@app/platform/http/operations/operations.module';
import type { Clock } from '@app/event-sourcing';
import { HealthRegistry, type Logger, Metrics } from '@app/platform/telemetry';
import { type DynamicModule, Global, Module } from '@nestjs/common';

export interface GatewayParts {
  readonly sandbox: SandboxGateway;
  readonly mode: GatewayMode;
  readonly secret: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: HealthRegistry;
}

@Global()
@Module({})
class PortsModule {
  static of({ metrics, health }: GatewayParts): DynamicModule {
    const providers = [
      { provide: Metrics, useValue: metrics },
      { provide: HealthRegistry, useValue: health },
    ];
    return { module: PortsModule, providers, exports: providers };
  }
}

/** The sandbox over HTTP: the protocol for the service, pages for customers, health and metrics. */
@Module({})
export class GatewayModule {
  static of(parts: GatewayParts): DynamicModule {
    const { sandbox, mode, secret, clock, logger } = parts;
    return {
      module: GatewayModule,
      imports: [
        PortsModule.of(parts),
        OperationsModule,
        GatewayProtocolModule.of(new GatewayProtocol({ gateway: sandbox, mode, secret, clock, logger })),
        SandboxPagesModule.of(sandbox.challenges),
      ],
    };
  }
}
