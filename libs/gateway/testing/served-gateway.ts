import type { AddressInfo } from 'node:net';

import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { fastify, type FastifyInstance } from 'fastify';

import type { Clock } from '@app/event-sourcing';
import { RecordingLogger } from '@app/platform/testing';

import { GatewayProtocol } from '../http/server/protocol';
import { GatewayProtocolModule } from '../http/server/protocol.module';
import type { GatewayMode } from '../http/signing';
import type { PaymentGateway } from '../port';
import type { GatewayDocument } from './gateway-document';

export const SECRET = 'a secret of the gateway, for specs';

export interface ServeOptions {
  readonly port?: number;
  /** Checks all exchanges. */
  readonly document?: GatewayDocument;
}

/** A module behind a real HTTP server on a free loopback port; bodies arrive as raw bytes. */
export class ServedModule {
  private constructor(private readonly app: NestFastifyApplication) {}

  static async start(module: DynamicModule, options: ServeOptions = {}): Promise<ServedModule> {
    const instance = fastify({ forceCloseConnections: true, routerOptions: { maxParamLength: 1_024 } });
    const { port = 0, document } = options;
    if (document !== undefined) recordInto(document, instance);
    instance.removeAllContentTypeParsers();
    instance.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
      done(null, body);
    });
    const adapter = new FastifyAdapter(instance);
    const app = await NestFactory.create<NestFastifyApplication>(module, adapter, { logger: false, bodyParser: false });
    await app.listen(port, '127.0.0.1');
    return new ServedModule(app);
  }

  get port(): number {
    return (this.app.getHttpServer().address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  close(): Promise<void> {
    return this.app.close();
  }
}

/** Serves any gateway through the protocol. */
export function serveGateway(
  gateway: PaymentGateway,
  clock: Clock,
  {
    logger = new RecordingLogger(),
    mode = 'sandbox',
    ...options
  }: ServeOptions & { readonly logger?: RecordingLogger; readonly mode?: GatewayMode } = {},
): Promise<ServedModule> {
  const protocol = new GatewayProtocol({ gateway, mode, secret: SECRET, clock, logger });
  return ServedModule.start(GatewayProtocolModule.of(protocol), options);
}

function recordInto(document: GatewayDocument, instance: FastifyInstance): void {
  instance.addHook('onSend', (request, reply, payload, done) => {
    document.record({
      method: request.method,
      path: request.url,
      requestBody: request.body instanceof Uint8Array ? Buffer.from(request.body).toString() : '',
      status: reply.statusCode,
      headers: reply.getHeaders(),
      body: String(payload),
    });
    done(null, payload);
  });
}
