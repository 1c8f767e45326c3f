import type { AuthenticatedMerchant } from '@app/application/merchants';
import type { Caller } from '@app/application/outcome';
import type { RequestSeed } from '@app/application/requests/answered-requests';
import { assert, type Clock } from '@app/kernel';
import type { FastifyRequest } from 'fastify';
import type { ErrorCode } from './errors/catalogue';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null only where the router itself refused the request. */
    state: RequestState | null;
    /** What the request was refused with; null where it was not. */
    errorCode: ErrorCode | null;
  }
}

/** What is learnt of a request on its way through the checks. */
export class RequestState {
  readonly startedAtMs: number;
  merchant: AuthenticatedMerchant | null = null;
  idempotencyKey: string | null = null;
  /** Of a request with a key where one need not be sent: what it does in the same way when it is repeated. */
  seed: RequestSeed | null = null;

  constructor(private readonly clock: Clock) {
    this.startedAtMs = clock.nowMs();
  }

  /** Whole milliseconds since the request's headers had arrived. */
  elapsedMs(): number {
    return Math.max(0, Math.round(this.clock.nowMs() - this.startedAtMs));
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
