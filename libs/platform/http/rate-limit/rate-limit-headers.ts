import type { RateLimit, Standing } from './rate-limiter';

/**
 * The fields of draft-ietf-httpapi-ratelimit-headers, which speaks of windows, for a bucket: `q` requests may be made at once,
 * and `w` seconds fill an empty bucket wholly, so whoever keeps to `q` in each `w` is never refused. `r` may be made right now;
 * after `t` seconds there is at least one more (absent while the bucket is full). All of them count requests that count as one; where
 * one is refused, Retry-After says after how long there is enough for it.
 */
export function rateLimitPolicy({ perSecond, burst }: RateLimit): string {
  return `"default";q=${burst};w=${Math.max(1, Math.ceil(burst / perSecond))}`;
}

export function rateLimitField({ remaining, nextInSeconds }: Standing): string {
  return `"default";r=${remaining}${nextInSeconds === null ? '' : `;t=${nextInSeconds}`}`;
}
