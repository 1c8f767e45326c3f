import type { Caller } from '@app/platform/asker';
import type { RequestSeed } from '@app/platform/asker';
import { assert, type Clock } from '@app/event-sourcing';
import type { AuthenticationFailure } from '@app/platform/telemetry';
import type { FastifyRequest } from 'fastify';
import type { AuthenticatedMerchant } from '../merchants';
import type { ErrorCode } from './errors/catalogue';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null only where the router itself refused the request. */
    state: RequestState | null;
    /** What the request was refused with; null where it was not. */
    errorCode: ErrorCode | null;
  }
}

export interface RefusedCredentials {
  readonly reason: AuthenticationFailure;
  readonly tokenId?: string;
  readonly merchantId?: string;
  readonly tokenTag?: string;
}

/** What is learnt of a request on its way through the checks. */
export class RequestState {
  readonly startedAtMs: number;
  merchant: AuthenticatedMerchant | null = null;
  isOperator = false;
  idempotencyKey: string | null = null;
  /** Of credentials that were refused: why, and what of them may be told. */
  refused: RefusedCredentials | null = null;
  /** What the operator's request made, where its path doesn't name it. */
  made: string | null = null;
  /** Of a request with a key where one need not be sent: what it does in the same way when it is repeated. */
  seed: RequestSeed | null = null;

  constructor(
    private readonly clock: Clock,
    /** Where the request comes from. */
    readonly source: string,
  ) {
    this.startedAtMs = clock.monotonicMs();
  }

  /** Whole milliseconds since the request's headers had arrived. */
  elapsedMs(): number {
    return this.clock.monotonicMs() - this.startedAtMs;
  }
}

/** Who asks. Only for routes of merchants'. */
export function callerOf(request: FastifyRequest): Caller {
  const merchant = request.state?.merchant ?? null;
  assert(merchant, 'a request of a merchant’s route is authenticated');
  return { merchantId: merchant.merchantId, merchantName: merchant.name, correlationId: request.id };
}

/** What a repetition of the request makes up as well; null where it came without a key. */
export function seedOf(request: FastifyRequest): RequestSeed | null {
  return request.state?.seed ?? null;
}

/** The Idempotency-Key. Only for routes that ask for one. */
export function idempotencyKeyOf(request: FastifyRequest): string {
  const key = request.state?.idempotencyKey ?? null;
  assert(key, 'a request of an idempotent route has a key');
  return key;
}
