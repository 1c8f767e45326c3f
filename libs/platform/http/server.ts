import type { Clock, Random } from '@app/event-sourcing';
import { type DamagedStreams, failureLog, type Logger, type Metrics } from '@app/platform/telemetry';
import { fastify, type FastifyInstance } from 'fastify';
import { PUBLIC_PAGE } from './authentication/access';
import type { Merchants } from '../merchants';
import { BODY_LIMIT, Gate } from './authentication/gate';
import type { OperatorToken } from './authentication/bearer';
import { FailedAuthentications } from './authentication/failed-authentications';
import { isContinueAlone } from './authentication/headers';
import { countRefusalsOfPages } from './authentication/refusals-of-pages';
import { SourceAddresses } from './authentication/source-address';
import { answerClientErrors, answerConnects, refuseUnread } from './client-errors';
import { BodiesInFlight, setRoomAside } from './connections/bodies-in-flight';
import { boundConnections } from './connections/bounds';
import { endAfterAnswer, isBodyUnread } from './connections/gentle-end';
import { ApiError } from './errors/api-error';
import { ErrorAnswers } from './errors/error-answers';
import { compileQueryValidator } from './query-parameters';
import { requestIdOf } from './request-id';
import { type PaymentIdOf, recordRequest } from './request-log';
import { originForm, refusalOfForm } from './request-target';
import { rateLimitField, rateLimitPolicy } from './rate-limit/rate-limit-headers';
import { type RateLimit, RateLimiter } from './rate-limit/rate-limiter';
import { RouteTable } from './route-table';
import { compileBodyValidator } from './validation/body-validator';
import type { JsonSchema } from './validation/rules';

/** How long a client may take for its headers, for the whole request, and between two requests of a connection. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** How often Node looks for connections that are over these limits: they last so much longer, and it would be 30 s. */
const CONNECTIONS_CHECK_MS = 2_000;
/** Longer than common load balancers keep an idle connection, so that they never send into one that is being closed. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
/** A connection on which nothing moves, an answer that is not read included. */
const CONNECTION_TIMEOUT_MS = 90_000;
/** Longer than any target that fits into the headers: what is too long to be an identifier is not found. */
const MAX_PARAM_LENGTH = 16 * 1024;
const FORM_LIMIT = 4 * 1024;

export interface ServerDependencies {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: () => Metrics;
  readonly operatorToken: OperatorToken;
  readonly merchants: () => Merchants;
  /** Patterns of routes that say nothing of who may use them, and that anybody may: pages for customers. */
  readonly publicRoutes: readonly string[];
  /** For each merchant; null for none. */
  readonly rateLimit: RateLimit | null;
  readonly maxConnections: number;
  /** `<address>/<prefix length>` of those whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  readonly paymentIdOf: PaymentIdOf;
  /** Is told of the damaged streams that requests came upon; nobody is when absent. */
  readonly damaged?: Pick<DamagedStreams, 'report'>;
}

export interface Server {
  readonly instance: FastifyInstance;
  readonly routes: RouteTable;
  readonly answers: ErrorAnswers;
}

/** Fastify with every request going through the gate, and every failure answered in one shape. */
export function createServer(deps: ServerDependencies): Server {
  const { clock, random, operatorToken, merchants } = deps;
  const answers = new ErrorAnswers(deps);
  const routes = new RouteTable();
  const rateLimiter = deps.rateLimit === null ? null : new RateLimiter(deps.rateLimit, clock);
  const sources = new SourceAddresses(deps.trustedProxies);
  const failures = new FailedAuthentications(deps);
  const gate = new Gate({ routes, clock, random, operatorToken, merchants, rateLimiter, sources, failures });
  const instance = fastify({
    logger: false,
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    // Node answers a missing Host with an empty body; the gate does it in the shape of every other error.
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
      requireHostHeader: false,
    },
    forceCloseConnections: 'idle',
    // While the process drains, what still comes in is answered like before; its connection is closed after that.
    return503OnClosing: false,
    exposeHeadRoutes: true,
    requestIdHeader: false,
    genReqId: (raw) => requestIdOf(raw, random),
    // Before the router: all that looks at a target sees one form of it.
    rewriteUrl: ({ url = '' }) => originForm(url),
    routerOptions: {
      caseSensitive: true,
      ignoreTrailingSlash: false,
      ignoreDuplicateSlashes: false,
      maxParamLength: MAX_PARAM_LENGTH,
    },
    frameworkErrors: (error, request, reply) =>
      answers.send(refusalOfForm(request.raw.url ?? '') ?? error, request, reply),
    clientErrorHandler: answerClientErrors(deps),
  });
  boundConnections(instance.server, deps, refuseUnread(deps));
  judgeExpectations(instance);
  answerAfterClientsLastWord(instance);
  instance.server.on('connect', answerConnects(routes, { ...deps, sources }));
  instance.decorateRequest('state', null);
  instance.decorateRequest('errorCode', null);
  declareRoutes(instance, routes, deps.publicRoutes);
  addParsers(instance);
  addHooks(instance, gate, deps);
  countRefusalsOfPages(instance, failures);
  if (deps.rateLimit !== null && rateLimiter !== null) tellRateLimit(instance, deps.rateLimit, rateLimiter);
  instance.setErrorHandler((error, request, reply) => answers.send(error, request, reply));
  instance.setNotFoundHandler((request, reply) => answers.send(new ApiError('ROUTE_NOT_FOUND'), request, reply));
  instance.setValidatorCompiler(({ schema, httpPart }) => {
    return (httpPart === 'querystring' ? compileQueryValidator : compileBodyValidator)(schema as JsonSchema);
  });
  return { instance, routes, answers };
}

/** Node would answer expectations itself: say "go on" to anybody, and refuse all else without a body. The gate judges them. */
function judgeExpectations({ server }: FastifyInstance): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
}

/** A client that has sent all that it will may still read: Node would end the connection before the answer, unless told otherwise. */
function answerAfterClientsLastWord({ server }: FastifyInstance): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}

/** A route that does not say who may use it stops the start. */
function declareRoutes(instance: FastifyInstance, routes: RouteTable, publicRoutes: readonly string[]): void {
  instance.addHook('onRoute', (route) => {
    if (route.config?.access === undefined && publicRoutes.includes(route.url)) {
      route.config = { ...route.config, access: PUBLIC_PAGE };
    }
    const access = route.config?.access;
    if (access === undefined) throw new Error(`The route ${String(route.method)} ${route.url} says not who may use it`);
    const { body, querystring: query } = (route.schema ?? {}) as { body?: JsonSchema; querystring?: JsonSchema };
    routes.add(route.url, [route.method].flat(), access, { body: body ?? null, query: query ?? null });
  });
}

/** Bodies are kept as they came: signatures cover the raw bytes. */
function addParsers(instance: FastifyInstance): void {
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  instance.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer', bodyLimit: FORM_LIMIT },
    (_request, body, done) => done(null, body),
  );
}

function addHooks(instance: FastifyInstance, gate: Gate, deps: ServerDependencies): void {
  const { logger, clock } = deps;
  const failures = failureLog({ logger, clock });
  const bodies = new BodiesInFlight();
  instance.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-ID', request.id);
    const failure = failureOf(() => {
      gate.admitHeaders(request);
      setRoomAside(request, reply, bodies);
    });
    // Whoever may not send the body is not asked for it.
    if (failure === undefined && isContinueAlone(request.raw)) reply.raw.writeContinue();
    done(failure);
  });
  instance.addHook('onSend', (request, reply, payload, done) => {
    if (isBodyUnread(request.raw)) {
      reply.header('Connection', 'close');
      endAfterAnswer(request.raw.socket, clock);
    }
    done(null, payload);
  });
  instance.addHook('preValidation', (request, reply, done) => {
    const failure = failureOf(() => gate.admitBody(request));
    // The gate may have put another one into its place.
    if (failure !== undefined) reply.header('X-Request-ID', request.id);
    done(failure);
  });
  instance.addHook('onResponse', (request, reply, done) => {
    recordRequest(request, reply, { logger, metrics: deps.metrics(), paymentIdOf: deps.paymentIdOf });
    failures.settle();
    done();
  });
}

/** Every answer to a merchant says how it stands, also one that an earlier check refused. */
function tellRateLimit(instance: FastifyInstance, rateLimit: RateLimit, rateLimiter: RateLimiter): void {
  const policy = rateLimitPolicy(rateLimit);
  instance.addHook('onSend', (request, reply, payload, done) => {
    const merchantId = request.state?.merchant?.merchantId;
    if (merchantId !== undefined) {
      reply.header('RateLimit-Policy', policy).header('RateLimit', rateLimitField(rateLimiter.standing(merchantId)));
    }
    done(null, payload);
  });
}

function failureOf(check: () => void): Error | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error('A check threw something that is not an Error');
  }
}
