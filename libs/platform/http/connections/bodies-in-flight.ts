import type { FastifyReply, FastifyRequest } from 'fastify';
import { BODY_LIMIT } from '../authentication/gate';
import { ApiError } from '../errors/api-error';
import { isBodyUnread } from './gentle-end';

/** Limits for bodies that are still arriving, in bytes: for all merchants together, and for each one. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_MERCHANT_BYTES = 8 * 1024 * 1024;

/**
 * Limits the memory taken by bodies that are still arriving, before their signature and rate limit can be checked: a
 * merchant could send thousands at once, as slowly as possible. No merchant can take the share of the others.
 */
export class BodiesInFlight {
  #bytes = 0;
  readonly #byMerchant = new Map<string, number>();

  /** Reserves the bytes of a body. Returns a function that frees them, or null if there is no room. */
  tryReserve(merchantId: string, bytes: number): (() => void) | null {
    const own = this.#byMerchant.get(merchantId) ?? 0;
    if (own + bytes > MAX_MERCHANT_BYTES || this.#bytes + bytes > MAX_BYTES) return null;
    this.#change(merchantId, bytes);
    let isFreed = false;
    return () => {
      if (isFreed) return;
      isFreed = true;
      this.#change(merchantId, -bytes);
    };
  }

  get bytes(): number {
    return this.#bytes;
  }

  #change(merchantId: string, bytes: number): void {
    this.#bytes += bytes;
    const own = (this.#byMerchant.get(merchantId) ?? 0) + bytes;
    if (own === 0) this.#byMerchant.delete(merchantId);
    else this.#byMerchant.set(merchantId, own);
  }
}

/**
 * Reserves room for the body that a merchant is about to send. @throws ApiError if its bodies in flight exceed the
 * limit
 */
export function setRoomAside({ raw, state }: FastifyRequest, reply: FastifyReply, bodies: BodiesInFlight): void {
  const merchant = state?.merchant ?? null;
  if (merchant === null || !isBodyUnread(raw)) return;
  const free = bodies.tryReserve(merchant.merchantId, Number(raw.headers['content-length'] ?? BODY_LIMIT));
  if (free === null) throw new ApiError('RATE_LIMITED', { headers: { 'Retry-After': '1' } });
  raw.once('end', free);
  reply.raw.once('close', free);
}
