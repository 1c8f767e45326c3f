import type { Clock } from '@app/event-sourcing';

export interface RateLimit {
  /** Requests per second that a merchant may make on average. */
  readonly perSecond: number;
  /** Requests that it may make at once from a full bucket. */
  readonly burst: number;
}

/** A merchant's remaining requests. */
export interface Standing {
  /** Whole requests of cost 1 that it may make now. */
  readonly remaining: number;
  /** Whole seconds, at least 1, until there is at least one more; null if the bucket is full. */
  readonly nextInSeconds: number | null;
}

interface Bucket {
  /** In thousandths of a request: whole numbers avoid rounding errors. */
  readonly thousandths: number;
  /** When it held that amount, in monotonic ms. */
  readonly atMs: number;
}

const ONE_REQUEST = 1_000;

/** Maximum number of buckets kept. */
const MAX_BUCKETS = 100_000;
/** Maximum number of buckets dropped per request. */
const DROPPED_AT_ONCE = 2;

/**
 * A token bucket per merchant: it holds `burst` requests and refills at `perSecond`, so that any span sees at most
 * `burst + perSecond × seconds`. A full bucket is not kept, so only merchants with recent requests take memory. Each
 * process counts for itself: n processes allow n times as much.
 */
export class RateLimiter {
  /** Least recently used first. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(
    private readonly limit: RateLimit,
    private readonly clock: Clock,
    private readonly maxBuckets = MAX_BUCKETS,
  ) {}

  /**
   * Takes a request of `cost` from the merchant's bucket, less `taken`, which was taken before. Returns false and takes
   * nothing if too little is left.
   */
  tryTake(merchantId: string, cost = 1, taken = 0): boolean {
    const needed = this.neededFor(cost, taken);
    const nowMs = this.clock.monotonicMs();
    const thousandths = this.thousandthsAt(merchantId, nowMs);
    const isEnough = thousandths >= needed;
    this.keep(merchantId, { thousandths: isEnough ? thousandths - needed : thousandths, atMs: nowMs });
    return isEnough;
  }

  /** Takes nothing from the bucket. */
  standing(merchantId: string): Standing {
    const thousandths = this.thousandthsAt(merchantId, this.clock.monotonicMs());
    const remaining = Math.floor(thousandths / ONE_REQUEST);
    if (remaining >= this.limit.burst) return { remaining, nextInSeconds: null };
    const nextInMs = ((remaining + 1) * ONE_REQUEST - thousandths) / this.limit.perSecond;
    return { remaining, nextInSeconds: Math.max(1, Math.ceil(nextInMs / 1_000)) };
  }

  /** Whole seconds, at least 1, until a request of `cost` is possible. Takes nothing from the bucket. */
  secondsUntil(merchantId: string, cost: number): number {
    const missing = this.neededFor(cost) - this.thousandthsAt(merchantId, this.clock.monotonicMs());
    return Math.max(1, Math.ceil(missing / this.limit.perSecond / 1_000));
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** A request never costs more than a full bucket; otherwise it could never be made. */
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
      // Above the limit, the least recently used bucket counts as full, which errs in its merchant's favour.
      if (dropped === DROPPED_AT_ONCE || (!isFull && this.#buckets.size <= this.maxBuckets)) return;
      this.#buckets.delete(oldest);
      dropped += 1;
    }
  }
}
