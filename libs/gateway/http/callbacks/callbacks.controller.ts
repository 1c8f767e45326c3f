import { Controller, type DynamicModule, Module, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { errorMessage, type ProtocolErrorCode } from '../wire/errors';
import { GatewayCallbacks } from './callbacks';

/** Public: each callback carries a signature that is checked here. */
export const GATEWAY_CALLBACK_ROUTES = ['/gateway/v1/callbacks'];

const REFUSALS = { 400: 'INVALID_REQUEST', 401: 'UNAUTHENTICATED', 413: 'TOO_LARGE' } as const satisfies Readonly<
  Record<number, ProtocolErrorCode>
>;

/** Receives the gateway's callbacks. Bodies must arrive as raw bytes, because the signature covers them. */
@Controller('gateway/v1/callbacks')
export class GatewayCallbacksController {
  constructor(private readonly callbacks: GatewayCallbacks) {}

  @Post()
  async receive(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { method, url = '', headers } = request.raw;
    const body = request.body instanceof Uint8Array ? request.body : new Uint8Array();
    const status = this.callbacks.receive({ method: method ?? '', path: url, headers, body });
    reply.code(status).header('Cache-Control', 'no-store');
    await (status === 204 ? reply.send() : reply.send(errorMessage(REFUSALS[status])));
  }
}

/** For the process that the gateway's callback URL points to. */
@Module({})
export class GatewayCallbacksModule {
  static of(callbacks: GatewayCallbacks): DynamicModule {
    return {
      module: GatewayCallbacksModule,
      controllers: [GatewayCallbacksController],
      providers: [{ provide: GatewayCallbacks, useValue: callbacks }],
    };
  }
}
