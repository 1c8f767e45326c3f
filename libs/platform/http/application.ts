import type { Clock, Random } from '@app/event-sourcing';
import { httpUrl } from '@app/platform/configuration';
import { type DamagedStreams, type Logger, Metrics, NestLogger } from '@app/platform/telemetry';
import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { OperatorToken } from './authentication/bearer';
import { Merchants } from '../merchants';
import type { RateLimit } from './rate-limit/rate-limiter';
import { ApiExceptionFilter } from './errors/exception.filter';
import type { PaymentIdOf } from './request-log';
import type { RouteTable } from './route-table';
import { createServer } from './server';

const DEFAULT_MAX_CONNECTIONS = 2_000;

export interface HttpApplicationOptions {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
  /** Is told of the damaged streams that requests came upon; nobody is when absent. */
  readonly damaged?: Pick<DamagedStreams, 'report'>;
  /** Opens the operator's API, and nothing else does. */
  readonly operatorToken: string;
  /**
   * Patterns, such as `/sandbox/3ds/:token`, of routes that don't declare who may use them and that anybody may. Every other
   * route without a declaration stops the start.
   */
  readonly publicRoutes?: readonly string[];
  /** For each merchant; null or absent: none. */
  readonly rateLimit?: RateLimit | null;
  /** How many connections there may be at a time; further ones are closed as they are opened. */
  readonly maxConnections?: number;
  /** `<address>/<prefix length>` of the proxies in front, whose `X-Forwarded-For` is believed; absent: nobody's. */
  readonly trustedProxies?: readonly string[];
  /** What a merchant's token may be used for; a route that asks for anything else stops the start. */
  readonly scopes?: readonly string[];
  /** The payment that the request names or has made, for its line in the log. Absent: none is looked for. */
  readonly paymentIdOf?: PaymentIdOf;
  /** Registers what Nest doesn't route; only where there are routes of merchants. */
  readonly addRoutes?: (instance: FastifyInstance, routes: RouteTable, publicUrl: () => string) => void;
  /** Where clients reach the service, for the examples in its documentation. Absent: where it listens. */
  readonly publicUrl?: () => string;
}

/**
 * Puts the application together and registers its routes; `listen` is left to the caller. The module must provide `Metrics`
 * and, where it has routes of merchants, `Merchants`.
 *
 * @throws whatever keeps the application from starting.
 */
export async function createHttpApplication(
  module: Type | DynamicModule,
  options: HttpApplicationOptions,
): Promise<NestFastifyApplication> {
  const { logger, clock, random, publicRoutes = [] } = options;
  const provided: { metrics?: Metrics; merchants?: Merchants } = {};
  const server = createServer({
    logger,
    clock,
    random,
    publicRoutes,
    rateLimit: options.rateLimit ?? null,
    maxConnections: options.maxConnections ?? DEFAULT_MAX_CONNECTIONS,
    trustedProxies: options.trustedProxies ?? [],
    paymentIdOf: options.paymentIdOf ?? (() => null),
    ...(options.damaged === undefined ? {} : { damaged: options.damaged }),
    operatorToken: new OperatorToken(options.operatorToken),
    metrics: () => present(provided.metrics, 'Metrics'),
    merchants: () => present(provided.merchants, 'Merchants'),
  });
  const app = await NestFactory.create<NestFastifyApplication>(module, new LedgerAdapter(server.instance), {
    logger: new NestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  app.useGlobalFilters(new ApiExceptionFilter(server.answers));
  provided.metrics = app.get(Metrics, { strict: false });
  await app.init();
  if (server.routes.hasMerchantRoutes) {
    provided.merchants = app.get(Merchants, { strict: false });
    server.routes.requireScopes(options.scopes ?? []);
    options.addRoutes?.(server.instance, server.routes, options.publicUrl ?? (() => listeningUrl(server.instance)));
  }
  await server.instance.ready();
  return app;
}

/** The first address that it listens on; the service's default one where it doesn't listen, as in specs. */
function listeningUrl({ server }: FastifyInstance): string {
  const address = server.address();
  if (address === null || typeof address === 'string') return 'http://127.0.0.1:3000';
  return httpUrl(address.address, address.port);
}

function present<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`${name} is not provided by the application's module`);
  return value;
}

/** Nest's adapter without what is done elsewhere: errors and unknown paths are answered by the server, middleware isn't used. */
class LedgerAdapter extends FastifyAdapter {
  override async init(): Promise<void> {}

  override setErrorHandler(): FastifyInstance {
    return this.getInstance<FastifyInstance>();
  }

  override setNotFoundHandler(): FastifyInstance {
    return this.getInstance<FastifyInstance>();
  }
}
