import type { FastifyReply, FastifyRequest } from 'fastify';
import { BODY_LIMIT } from '../authentication/gate';
import { ApiError } from '../errors/api-error';
import { isBodyUnread } from './gentle-end';

/** What is held of bodies that are still arriving, of all merchants and of one, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_MERCHANT_BYTES = 8 * 1024 * 1024;

/**
 * Bounds the memory that bodies take while they arrive, before their signature and rate can be judged: a merchant could send
 * thousands at the same time, each as slowly as it may. One merchant never takes what is there for the others.
 */
export class BodiesInFlight {
  #bytes = 0;
  readonly #byMerchant = new Map<string, number>();

  /** Sets the bytes of a body aside; gives what frees them again, or null when there is no room. */
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

/** For the body that a merchant is about to send. @throws ApiError where it is sending as much as it may already */
export function setRoomAside({ raw, state }: FastifyRequest, reply: FastifyReply, bodies: BodiesInFlight): void {
  const merchant = state?.merchant ?? null;
  if (merchant === null || !isBodyUnread(raw)) return;
  const free = bodies.tryReserve(merchant.merchantId, Number(raw.headers['content-length'] ?? BODY_LIMIT));
  if (free === null) throw new ApiError('RATE_LIMITED', { headers: { 'Retry-After': '1' } });
  raw.once('end', free);
  reply.raw.once('close', free);
}
