import type { IncomingMessage } from 'node:http';
import { containsCardNumber, containsExactCardNumber } from '@app/cards';
import { assert, type Clock, type Random } from '@app/event-sourcing';
import type { AuthenticatingApi } from '@app/platform/telemetry';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error';
import type { RateLimiter } from '../rate-limit/rate-limiter';
import { costOf, itemsInBody, itemsInQuery } from '../rate-limit/request-cost';
import { hasMalformedRequestId } from '../request-id';
import { type RefusedCredentials, RequestState } from '../request-state';
import { refusalOfForm } from '../request-target';
import { type RouteTable, strictPath } from '../route-table';
import { parseStrictJson } from '../strict-json';
import { type JsonSchema, mayBeLeftOut } from '../validation/rules';
import type { KeyUse, MerchantAccess, RouteAccess } from './access';
import { bearerToken, type OperatorToken } from './bearer';
import type { FailedAuthentications } from './failed-authentications';
import { countHeader, headerOf, isContinueAlone } from './headers';
import { announcesBody, requireJson } from './media-type';
import type { AuthenticatedAuditor, Auditors } from '../../auditors';
import type { AuthenticatedMerchant, Merchants } from '../../merchants';
import { notAnAuditor, notSigned, notTheOperator, signatureRefused, timestampRefused } from './refused-credentials';
import { isSignedBy } from './signature';
import type { SourceAddresses } from './source-address';
import { isFresh } from './timestamp';

/** The largest accepted body, in bytes. */
export const BODY_LIMIT = 256 * 1024;

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
const NO_BYTES = Buffer.alloc(0);

export interface GateDependencies {
  readonly routes: RouteTable;
  readonly clock: Clock;
  readonly random: Random;
  readonly operatorToken: OperatorToken;
  /** Called at the first request or later: it exists only once the application has been created. */
  readonly merchants: () => Merchants;
  readonly auditors: () => Auditors;
  /** Null: no rate limit. */
  readonly rateLimiter: RateLimiter | null;
  readonly sources: SourceAddresses;
  readonly failures: FailedAuthentications;
}

/**
 * Every request passes here before anything acts on it, in this order: path, size, request id, token, merchant, scope,
 * timestamp (before the body is read); signature, rate limit, idempotency key, JSON (after it). The requirements come
 * from the route that the router matched, never from the spelling of the path.
 */
export class Gate {
  constructor(private readonly deps: GateDependencies) {}

  /** The checks that need only the headers. @throws ApiError */
  admitHeaders(request: FastifyRequest): void {
    const state = new RequestState(this.deps.clock, this.deps.sources.of(request.raw));
    request.state = state;
    const access = this.route(request);
    if (Number(request.headers['content-length'] ?? 0) > BODY_LIMIT) throw new ApiError('BODY_TOO_LARGE');
    if (hasMalformedRequestId(request)) throw new ApiError('REQUEST_ID_INVALID');
    checkTransport(request.raw);
    switch (access.kind) {
      case 'public':
        return;
      case 'operator':
        this.authenticateOperator(request);
        state.isOperator = true;
        break;
      case 'auditor':
        state.auditor = this.authenticateAuditor(request);
        break;
      case 'merchant':
        state.merchant = this.authenticate(request);
        this.checkMerchant(request, access, state.merchant);
        this.checkTimestamp(request, access, state.merchant);
        break;
    }
    const isBodyLess = isBodyOptional(request) && !announcesBody(request.raw);
    if (access.body === 'json' && !isBodyLess) requireJson(request.raw);
  }

  /** The checks that need the body; replaces `request.body` with the parsed JSON. @throws ApiError */
  admitBody(request: FastifyRequest): void {
    const { access } = request.routeOptions.config;
    assert(access, 'every route has an access');
    const body = request.body instanceof Uint8Array ? request.body : NO_BYTES;
    if (access.kind === 'merchant') this.checkSignature(request, access, body);
    if (access.kind === 'merchant' || access.kind === 'auditor') {
      this.takeOfRate(request, access.costBasis === 'limit' ? costOf(itemsInQuery(request.query)) : 1);
    }
    if (access.kind !== 'public') this.takeIdempotencyKey(request, access.idempotencyKey);
    if (access.body !== 'json') return;
    const json = body.length === 0 && isBodyOptional(request) ? { value: {} } : parseStrictJson(body);
    if ('problem' in json) throw new ApiError('MALFORMED_JSON', { message: json.problem });
    request.body = json.value;
    if (access.kind === 'merchant' && access.costBasis === 'paymentIds') {
      this.takeOfRate(request, costOf(itemsInBody(json.value)), 1);
    }
    this.keepCardNumberOut(request, json.value);
  }

  /**
   * Runs before anything else about the request is answered: its id goes into the answer, the log and the events, and
   * its key into identifiers. Once the body is parsed, its card number is known and is found in any spelling.
   */
  private keepCardNumberOut(request: FastifyRequest, body: unknown): void {
    const number = cardNumberIn(body);
    if (number === null) return;
    if (containsExactCardNumber(request.id, number)) {
      request.id = this.deps.random.uuid();
      throw new ApiError('REQUEST_ID_INVALID');
    }
    const key = request.state?.idempotencyKey ?? null;
    if (key !== null && containsExactCardNumber(key, number)) throw new ApiError('IDEMPOTENCY_KEY_INVALID');
  }

  private route(request: FastifyRequest): RouteAccess {
    const target = request.raw.url ?? '';
    const refusal = refusalOfForm(target);
    if (refusal !== null) throw refusal;
    const path = strictPath(target);
    if (path === null) throw new ApiError('ROUTE_NOT_FOUND');
    const { routes } = this.deps;
    if (request.is404 || routes.isShadowed(path, request.method)) {
      const methods = routes.methodsAt(path);
      if (methods.length === 0) throw new ApiError('ROUTE_NOT_FOUND');
      throw new ApiError('METHOD_NOT_ALLOWED', { headers: { Allow: methods.join(', ') } });
    }
    const { access } = request.routeOptions.config;
    assert(access, 'every route has an access');
    return access;
  }

  private authenticateOperator(request: FastifyRequest): void {
    const token = bearerToken(request.raw);
    if (token !== null && this.deps.operatorToken.equals(token)) return;
    throw this.refuse(request, 'operator', token === null ? noToken(request.raw) : this.unknown(token), notTheOperator);
  }

  private authenticateAuditor(request: FastifyRequest): AuthenticatedAuditor {
    const auditors = this.deps.auditors();
    if (auditors.isStale()) throw new ApiError('EVENT_STORE_UNAVAILABLE');
    const token = bearerToken(request.raw);
    if (token === null) throw this.refuse(request, 'auditor', noToken(request.raw), notAnAuditor);
    const auditor = auditors.authenticate(token);
    if (auditor !== null) return auditor;
    const { reason, bearer } = auditors.whyRefused(token);
    const refused = bearer === null ? this.unknown(token) : { reason, auditorId: bearer.auditorId };
    throw this.refuse(request, 'auditor', refused, notAnAuditor);
  }

  private authenticate(request: FastifyRequest): AuthenticatedMerchant {
    const merchants = this.deps.merchants();
    // A revocation may have been missed, so it is unknown whether a token is still valid.
    if (merchants.isStale()) throw new ApiError('EVENT_STORE_UNAVAILABLE');
    const token = bearerToken(request.raw);
    if (token === null) throw this.refuse(request, 'merchant', noToken(request.raw), UNAUTHENTICATED);
    const merchant = merchants.authenticate(token);
    if (merchant !== null) return merchant;
    const { reason, bearer } = merchants.whyRefused(token);
    const refused =
      bearer === null ? this.unknown(token) : { reason, tokenId: bearer.tokenId, merchantId: bearer.merchantId };
    throw this.refuse(request, 'merchant', refused, UNAUTHENTICATED);
  }

  private unknown(token: string): RefusedCredentials {
    return { reason: 'unknown', tokenTag: this.deps.failures.tagOf(token) };
  }

  /** The exact reason goes only to the log and the metrics; `answer` reveals no more than the request itself shows. */
  private refuse(
    { state }: FastifyRequest,
    api: AuthenticatingApi,
    refused: RefusedCredentials,
    answer: () => ApiError,
  ): ApiError {
    assert(state, 'a request has a state');
    state.refused = refused;
    return this.deps.failures.judge(state.source, api, refused.reason, answer());
  }

  private checkMerchant(request: FastifyRequest, access: MerchantAccess, merchant: AuthenticatedMerchant): void {
    if (merchant.isSuspended) throw new ApiError('MERCHANT_SUSPENDED');
    this.deps.merchants().noteUse(merchant.tokenId);
    const named = headerOf(request.raw, 'x-merchant-id');
    if (named === null && access.signed) {
      const message = 'Send the merchant of the access token in this header.';
      throw new ApiError('VALIDATION_FAILED', { details: [{ field: 'X-Merchant-ID', code: 'REQUIRED', message }] });
    }
    if (named !== null && named !== merchant.merchantId) throw new ApiError('MERCHANT_MISMATCH');
    if (!merchant.scopes.has(access.scope)) throw new ApiError('SCOPE_MISSING');
  }

  private checkTimestamp(request: FastifyRequest, access: MerchantAccess, merchant: AuthenticatedMerchant): void {
    if (!mustBeSigned(request, access, merchant)) return;
    const timestamp = headerOf(request.raw, 'x-timestamp');
    // A client that signs nothing at all is told so, not that its timestamp is missing.
    if (timestamp === null && headerOf(request.raw, 'x-signature') === null) {
      throw this.refuse(request, 'merchant', { reason: 'unsigned' }, notSigned);
    }
    const nowMs = this.deps.clock.nowMs();
    if (timestamp !== null && isFresh(timestamp, nowMs)) return;
    throw this.refuse(request, 'merchant', { reason: 'timestamp' }, () => timestampRefused(timestamp, nowMs));
  }

  private checkSignature(request: FastifyRequest, access: MerchantAccess, body: Uint8Array): void {
    const merchant = request.state?.merchant;
    assert(merchant, 'the merchant is known before the signature is judged');
    if (!mustBeSigned(request, access, merchant)) return;
    const { raw } = request;
    const signature = headerOf(raw, 'x-signature');
    const isSigned = isSignedBy(this.deps.merchants().signingSecrets(merchant.merchantId), signature ?? '', {
      method: request.method,
      pathWithQuery: raw.url ?? '',
      timestamp: headerOf(raw, 'x-timestamp') ?? '',
      merchantId: headerOf(raw, 'x-merchant-id') ?? '',
      idempotencyKey: headerOf(raw, 'idempotency-key') ?? '',
      body,
    });
    if (isSigned) return;
    const reason = signature === null ? 'unsigned' : 'signature';
    throw this.refuse(request, 'merchant', { reason }, () => signatureRefused(signature));
  }

  /**
   * Runs after the signature check, so that a caller without the secret cannot use up the limit of a merchant that
   * signs.
   */
  private takeOfRate(request: FastifyRequest, cost: number, taken = 0): void {
    const { rateLimiter } = this.deps;
    const limited = request.state?.rateLimited ?? null;
    if (rateLimiter === null || limited === null || rateLimiter.tryTake(limited, cost, taken)) return;
    const seconds = rateLimiter.secondsUntil(limited, cost);
    throw new ApiError('RATE_LIMITED', { headers: { 'Retry-After': String(seconds) } });
  }

  private takeIdempotencyKey(request: FastifyRequest, use: KeyUse): void {
    if (use === 'none') return;
    const key = headerOf(request.raw, 'idempotency-key');
    if (key === null && use !== 'required') return;
    if (key === null) throw new ApiError('IDEMPOTENCY_KEY_MISSING');
    if (!IDEMPOTENCY_KEY.test(key) || containsCardNumber(key)) throw new ApiError('IDEMPOTENCY_KEY_INVALID');
    const { state } = request;
    assert(state, 'a request has a state');
    state.idempotencyKey = key;
  }
}

function isBodyOptional({ routeOptions }: FastifyRequest): boolean {
  return mayBeLeftOut((routeOptions.schema?.body ?? {}) as JsonSchema);
}

const UNAUTHENTICATED = (): ApiError => new ApiError('UNAUTHENTICATED');

function noToken(request: IncomingMessage): RefusedCredentials {
  return { reason: request.headers.authorization === undefined ? 'missing' : 'malformed' };
}

/**
 * Refuses what Node accepts but a proxy in front may have read differently, and expectations that are not supported.
 */
function checkTransport(request: IncomingMessage): void {
  const encoding = headerOf(request, 'transfer-encoding');
  const isFramed = encoding === null || encoding.toLowerCase() === 'chunked';
  if (countHeader(request, 'host') !== 1 || !isFramed) {
    // What follows on this connection may belong to another request.
    throw new ApiError('MALFORMED_REQUEST', { headers: { Connection: 'close' } });
  }
  if (request.headers.expect !== undefined && !isContinueAlone(request)) throw new ApiError('EXPECTATION_FAILED');
}

/** A signature that is not required is checked nevertheless: a client that signs relies on it. */
function mustBeSigned(request: FastifyRequest, access: MerchantAccess, merchant: AuthenticatedMerchant): boolean {
  if (access.signed || (access.writes && merchant.requireSignatures)) return true;
  const { headers } = request.raw;
  return headers['x-signature'] !== undefined || headers['x-timestamp'] !== undefined;
}

/** The card number that a body submits, even if the rest of the body is invalid. */
function cardNumberIn(body: unknown): string | null {
  const path = ['payer', 'paymentMethod', 'card', 'number'];
  const number = path.reduce<unknown>(
    (value, key) => (value as Record<string, unknown> | null | undefined)?.[key],
    body,
  );
  return typeof number === 'string' ? number : null;
}
