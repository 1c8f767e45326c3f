import type { Caller } from '@app/platform/asker';
import type { RequestSeed } from '@app/platform/asker';
import { assert, type Clock } from '@app/event-sourcing';
import type { AuthenticationFailure } from '@app/platform/telemetry';
import type { FastifyRequest } from 'fastify';
import type { AuthenticatedAuditor } from '../auditors';
import type { AuthenticatedMerchant } from '../merchants';
import type { ErrorCode } from './errors/catalogue';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null only if the router itself refused the request. */
    state: RequestState | null;
    /** The error that was answered; null if there was none. */
    errorCode: ErrorCode | null;
  }
}

export interface RefusedCredentials {
  readonly reason: AuthenticationFailure;
  readonly tokenId?: string;
  readonly merchantId?: string;
  readonly auditorId?: string;
  readonly tokenTag?: string;
}

/** What the checks learn about a request. */
export class RequestState {
  readonly startedAtMs: number;
  merchant: AuthenticatedMerchant | null = null;
  isOperator = false;
  auditor: AuthenticatedAuditor | null = null;
  idempotencyKey: string | null = null;
  /** Why the credentials were refused, and what may be logged of them. */
  refused: RefusedCredentials | null = null;
  /** The id that the operator's request created and its path does not name. */
  made: string | null = null;
  /** Set for a request with an optional idempotency key: its repeats derive the same random values from it. */
  seed: RequestSeed | null = null;

  constructor(
    private readonly clock: Clock,
    /** The IP address that the request comes from. */
    readonly source: string,
  ) {
    this.startedAtMs = clock.monotonicMs();
  }

  /** Whose bucket of the rate limit the request is taken from; null: it has none. No merchant's id has a colon. */
  get rateLimited(): string | null {
    return this.auditor === null ? (this.merchant?.merchantId ?? null) : `auditor:${this.auditor.auditorId}`;
  }

  /** Whole milliseconds since the request's headers arrived. */
  elapsedMs(): number {
    return this.clock.monotonicMs() - this.startedAtMs;
  }
}

/** The authenticated merchant. Only for merchant routes. */
export function callerOf(request: FastifyRequest): Caller {
  const merchant = request.state?.merchant ?? null;
  assert(merchant, 'a request of a merchant’s route is authenticated');
  return { merchantId: merchant.merchantId, merchantName: merchant.name, correlationId: request.id };
}

/** The authenticated auditor. Only for auditors' routes. */
export function auditorOf(request: FastifyRequest): AuthenticatedAuditor {
  const auditor = request.state?.auditor ?? null;
  assert(auditor, 'a request of an auditor’s route is authenticated');
  return auditor;
}

/** The seed that repeats of the request share; null if it came without a key. */
export function seedOf(request: FastifyRequest): RequestSeed | null {
  return request.state?.seed ?? null;
}

/** The Idempotency-Key. Only for routes that require one. */
export function idempotencyKeyOf(request: FastifyRequest): string {
  const key = request.state?.idempotencyKey ?? null;
  assert(key, 'a request of an idempotent route has a key');
  return key;
}
