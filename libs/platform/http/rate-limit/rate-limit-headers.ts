import type { RateLimit, Standing } from './rate-limiter';

/**
 * The fields of draft-ietf-httpapi-ratelimit-headers, which assumes windows, for a token bucket. `q` requests may be
 * made at once, and an empty bucket is full after `w` seconds, so a client that makes `q` requests per `w` is never
 * refused. `r` requests may be made now; after `t` seconds there is at least one more (absent if the bucket is full).
 * All of them count requests of cost 1; Retry-After of a refused request considers its own cost.
 */
export function rateLimitPolicy({ perSecond, burst }: RateLimit): string {
  return `"default";q=${burst};w=${Math.max(1, Math.ceil(burst / perSecond))}`;
}

export function rateLimitField({ remaining, nextInSeconds }: Standing): string {
  return `"default";r=${remaining}${nextInSeconds === null ? '' : `;t=${nextInSeconds}`}`;
}
