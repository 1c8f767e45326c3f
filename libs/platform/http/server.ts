import type { Clock, Random } from '@app/event-sourcing';
import { type DamagedStreams, failureLog, type Logger, type Metrics } from '@app/platform/telemetry';
import { fastify, type FastifyInstance } from 'fastify';
import { PUBLIC_PAGE } from './authentication/access';
import type { Auditors } from '../auditors';
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

/** How long a client may take to send its headers, and the whole request. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** How often Node checks these limits; connections may exceed them by as much. Node's default is 30 s. */
const CONNECTIONS_CHECK_MS = 2_000;
/** Longer than common load balancers keep an idle connection, so that they never send on one that is being closed. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
/** Without any traffic, for example because the client does not read its answer. */
const CONNECTION_TIMEOUT_MS = 90_000;
/** Longer than any target that fits into the headers: an identifier that is too long is answered with 404. */
const MAX_PARAM_LENGTH = 16 * 1024;
const FORM_LIMIT = 4 * 1024;

export interface ServerDependencies {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: () => Metrics;
  readonly operatorToken: OperatorToken;
  readonly merchants: () => Merchants;
  readonly auditors: () => Auditors;
  /** Patterns of public routes that declare no access: pages for customers. */
  readonly publicRoutes: readonly string[];
  /** Per merchant, and per auditor; null: no limit. */
  readonly rateLimit: RateLimit | null;
  readonly maxConnections: number;
  /** `<address>/<prefix length>` of trusted proxies, whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  readonly paymentIdOf: PaymentIdOf;
  /** Receives the damaged streams that requests encounter. Absent: they are not reported. */
  readonly damaged?: Pick<DamagedStreams, 'report'>;
}

export interface Server {
  readonly instance: FastifyInstance;
  readonly routes: RouteTable;
  readonly answers: ErrorAnswers;
}

/** Fastify with every request passing the gate, and every failure answered in one shape. */
export function createServer(deps: ServerDependencies): Server {
  const { clock, random, operatorToken, merchants, auditors } = deps;
  const answers = new ErrorAnswers(deps);
  const routes = new RouteTable();
  const rateLimiter = deps.rateLimit === null ? null : new RateLimiter(deps.rateLimit, clock);
  const sources = new SourceAddresses(deps.trustedProxies);
  const failures = new FailedAuthentications(deps);
  const known = { operatorToken, merchants, auditors };
  const gate = new Gate({ routes, clock, random, ...known, rateLimiter, sources, failures });
  const instance = fastify({
    logger: false,
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    // Node answers a missing Host with an empty body; the gate answers it in the shape of every other error.
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
      requireHostHeader: false,
    },
    forceCloseConnections: 'idle',
    // While the process drains, requests are answered as usual and their connections closed afterwards.
    return503OnClosing: false,
    exposeHeadRoutes: true,
    requestIdHeader: false,
    genReqId: (raw) => requestIdOf(raw, random),
    // Runs before the router, so that everything sees one form of the target.
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

/**
 * By default Node answers `100-continue` itself, to anybody, and refuses other expectations without a body. The gate
 * decides instead.
 */
function judgeExpectations({ server }: FastifyInstance): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
}

/** A client that has finished sending may still read. By default Node would close the connection before the answer. */
function answerAfterClientsLastWord({ server }: FastifyInstance): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}

/** A route that does not declare who may use it prevents the start. */
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

/** Bodies stay raw bytes, because signatures cover them. */
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
    // A client whose headers are refused is not asked for the body.
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
    // The gate may have replaced the request id.
    if (failure !== undefined) reply.header('X-Request-ID', request.id);
    done(failure);
  });
  instance.addHook('onResponse', (request, reply, done) => {
    recordRequest(request, reply, { logger, metrics: deps.metrics(), paymentIdOf: deps.paymentIdOf });
    failures.settle();
    done();
  });
}

/** Every answer to an authenticated merchant or auditor has these headers, even if an earlier check refused the request. */
function tellRateLimit(instance: FastifyInstance, rateLimit: RateLimit, rateLimiter: RateLimiter): void {
  const policy = rateLimitPolicy(rateLimit);
  instance.addHook('onSend', (request, reply, payload, done) => {
    const limited = request.state?.rateLimited ?? null;
    if (limited !== null) {
      reply.header('RateLimit-Policy', policy).header('RateLimit', rateLimitField(rateLimiter.standing(limited)));
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
