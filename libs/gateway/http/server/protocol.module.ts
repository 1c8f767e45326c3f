import { type DynamicModule, Module } from '@nestjs/common';

import { GatewayProtocol } from './protocol';
import { GatewayProtocolController } from './protocol.controller';

/** Serves a payment gateway over HTTP. */
@Module({})
export class GatewayProtocolModule {
  static of(protocol: GatewayProtocol): DynamicModule {
    return {
      module: GatewayProtocolModule,
      controllers: [GatewayProtocolController],
      providers: [{ provide: GatewayProtocol, useValue: protocol }],
    };
  }
}
