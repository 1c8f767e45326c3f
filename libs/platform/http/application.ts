import type { Clock, Random } from '@app/event-sourcing';
import { httpUrl } from '@app/platform/configuration';
import { type DamagedStreams, type Logger, Metrics, NestLogger } from '@app/platform/telemetry';
import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { OperatorToken } from './authentication/bearer';
import { Auditors } from '../auditors';
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
  /** Receives the damaged streams that requests encounter. Absent: they are not reported. */
  readonly damaged?: Pick<DamagedStreams, 'report'>;
  /** The only token that opens the operator API. */
  readonly operatorToken: string;
  /**
   * Patterns, such as `/sandbox/3ds/:token`, of public routes that declare no access. Any other route without a
   * declaration prevents the start.
   */
  readonly publicRoutes?: readonly string[];
  /** Per merchant, and per auditor; null or absent: no limit. */
  readonly rateLimit?: RateLimit | null;
  /** Maximum number of open connections; further ones are closed when they are opened. */
  readonly maxConnections?: number;
  /** `<address>/<prefix length>` of trusted proxies, whose `X-Forwarded-For` is believed. Absent: none. */
  readonly trustedProxies?: readonly string[];
  /** The scopes that an access token can have. A route that requires another one prevents the start. */
  readonly scopes?: readonly string[];
  /** Returns the payment that the request names or has created, for the request log. Absent: none is logged. */
  readonly paymentIdOf?: PaymentIdOf;
  /** Registers routes outside Nest. Called only if there are merchant routes. */
  readonly addRoutes?: (instance: FastifyInstance, routes: RouteTable, publicUrl: () => string) => void;
  /**
   * The URL at which clients reach the service, for the examples in the API documentation. Absent: the listening
   * address.
   */
  readonly publicUrl?: () => string;
}

/**
 * Creates the application and registers its routes; the caller calls `listen`. The module must provide `Metrics` and,
 * if it has merchant routes, `Merchants`, and `Auditors` likewise.
 *
 * @throws anything that prevents the application from starting.
 */
export async function createHttpApplication(
  module: Type | DynamicModule,
  options: HttpApplicationOptions,
): Promise<NestFastifyApplication> {
  const { logger, clock, random, publicRoutes = [] } = options;
  const provided: { metrics?: Metrics; merchants?: Merchants; auditors?: Auditors } = {};
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
    auditors: () => present(provided.auditors, 'Auditors'),
  });
  const app = await NestFactory.create<NestFastifyApplication>(module, new LedgerAdapter(server.instance), {
    logger: new NestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  app.useGlobalFilters(new ApiExceptionFilter(server.answers));
  provided.metrics = app.get(Metrics, { strict: false });
  await app.init();
  if (server.routes.hasAuditorRoutes) provided.auditors = app.get(Auditors, { strict: false });
  if (server.routes.hasMerchantRoutes) {
    provided.merchants = app.get(Merchants, { strict: false });
    server.routes.requireScopes(options.scopes ?? []);
    options.addRoutes?.(server.instance, server.routes, options.publicUrl ?? (() => listeningUrl(server.instance)));
  }
  await server.instance.ready();
  return app;
}

/** The first listening address; the service's default address if it does not listen, as in specs. */
function listeningUrl({ server }: FastifyInstance): string {
  const address = server.address();
  if (address === null || typeof address === 'string') return 'http://127.0.0.1:3000';
  return httpUrl(address.address, address.port);
}

function present<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`${name} is not provided by the application's module`);
  return value;
}

/**
 * Nest's adapter without error, not-found and middleware handling: the server answers errors and unknown paths itself.
 */
class LedgerAdapter extends FastifyAdapter {
  override async init(): Promise<void> {}

  override setErrorHandler(): FastifyInstance {
    return this.getInstance<FastifyInstance>();
  }

  override setNotFoundHandler(): FastifyInstance {
    return this.getInstance<FastifyInstance>();
  }
}
