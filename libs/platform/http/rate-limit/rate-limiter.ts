import type { Clock } from '@app/event-sourcing';

export interface RateLimit {
  /** How many requests a merchant may make in each second, on average. */
  readonly perSecond: number;
  /** How many it may make at once after a rest. */
  readonly burst: number;
}

/** How a merchant stands with its limit. */
export interface Standing {
  /** Whole requests, of those that count as one, that it may make at this moment. */
  readonly remaining: number;
  /** Whole seconds, at least 1, after which there is at least one more; null when there can't be more. */
  readonly nextInSeconds: number | null;
}

interface Bucket {
  /** In thousandths of a request: whole numbers, which add up without rounding. */
  readonly thousandths: number;
  /** When it held that, by the monotonic clock. */
  readonly atMs: number;
}

const ONE_REQUEST = 1_000;

/** How many merchants' buckets are kept at most. */
const MAX_BUCKETS = 100_000;
/** How many buckets that have filled up again are dropped with each request. */
const DROPPED_AT_ONCE = 2;

/**
 * A token bucket for each merchant: it holds `burst` requests and is filled with `perSecond` of them a second, so that no span
 * of time sees more than `burst + perSecond × seconds`. A full bucket need not be kept, so what is remembered are the merchants
 * that asked lately. Each process counts for itself: n of them let n times as much through.
 */
export class RateLimiter {
  /** In the order of their last use. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(
    private readonly limit: RateLimit,
    private readonly clock: Clock,
    private readonly maxBuckets = MAX_BUCKETS,
  ) {}

  /**
   * Takes a request that counts as `cost`, of which `taken` were taken before, out of the merchant's bucket; false, and takes
   * nothing, when there is not so much left.
   */
  tryTake(merchantId: string, cost = 1, taken = 0): boolean {
    const needed = this.neededFor(cost, taken);
    const nowMs = this.clock.monotonicMs();
    const thousandths = this.thousandthsAt(merchantId, nowMs);
    const isEnough = thousandths >= needed;
    this.keep(merchantId, { thousandths: isEnough ? thousandths - needed : thousandths, atMs: nowMs });
    return isEnough;
  }

  /** Costs nothing. */
  standing(merchantId: string): Standing {
    const thousandths = this.thousandthsAt(merchantId, this.clock.monotonicMs());
    const remaining = Math.floor(thousandths / ONE_REQUEST);
    if (remaining >= this.limit.burst) return { remaining, nextInSeconds: null };
    const nextInMs = ((remaining + 1) * ONE_REQUEST - thousandths) / this.limit.perSecond;
    return { remaining, nextInSeconds: Math.max(1, Math.ceil(nextInMs / 1_000)) };
  }

  /** Whole seconds, at least 1, after which there is enough for a request that counts as `cost`. Costs nothing. */
  secondsUntil(merchantId: string, cost: number): number {
    const missing = this.neededFor(cost) - this.thousandthsAt(merchantId, this.clock.monotonicMs());
    return Math.max(1, Math.ceil(missing / this.limit.perSecond / 1_000));
  }

  /** How many merchants are remembered. */
  get size(): number {
    return this.#buckets.size;
  }

  /** No request costs more than a full bucket: else it could never be made. */
  private neededFor(cost: number, taken = 0): number {
    return Math.max(0, Math.min(cost, this.limit.burst) - taken) * ONE_REQUEST;
  }

  private thousandthsAt(merchantId: string, nowMs: number): number {
    const bucket = this.#buckets.get(merchantId);
    return bucket === undefined ? this.limit.burst * ONE_REQUEST : this.refilled(bucket, nowMs);
  }

  private refilled({ thousandths, atMs }: Bucket, nowMs: number): number {
    return Math.min(this.limit.burst * ONE_REQUEST, thousandths + (nowMs - atMs) * this.limit.perSecond);
  }

  private keep(merchantId: string, bucket: Bucket): void {
    this.#buckets.delete(merchantId);
    this.#buckets.set(merchantId, bucket);
    let dropped = 0;
    for (const [oldest, old] of this.#buckets) {
      const isFull = this.refilled(old, bucket.atMs) >= this.limit.burst * ONE_REQUEST;
      // Beyond the bound the longest unused is taken for full: that errs in its merchant's favour.
      if (dropped === DROPPED_AT_ONCE || (!isFull && this.#buckets.size <= this.maxBuckets)) return;
      this.#buckets.delete(oldest);
      dropped += 1;
    }
  }
}
