import type { GroupMessage } from '../state/message';
import type { Candidate, DispatchStrategy } from './strategy';

const BUCKETS = 1_024;

/**
 * Messages with the same key go to the same consumer as long as the consumers stay the same: keys are hashed to
 * buckets, and each bucket belongs to one consumer. A message whose consumer has no room waits, and others pass it.
 */
export class Pinned<C extends Candidate> implements DispatchStrategy<C> {
  private readonly owners: (C | undefined)[] = Array.from({ length: BUCKETS });
  private readonly inFlight: number[] = Array.from({ length: BUCKETS }, () => 0);
  /** How many buckets each consumer has. */
  private readonly shares = new Map<C, number>();
  /** Cached, because a message may be considered many times before its consumer has room. */
  private readonly buckets = new WeakMap<GroupMessage, number>();

  constructor(private readonly keyOf: (message: GroupMessage) => string) {}

  /** A new consumer takes its share of the buckets, first those with nothing in flight, which keeps their order. */
  add(consumer: C): void {
    this.shares.set(consumer, 0);
    const owned = [...this.shares.values()].reduce((sum, share) => sum + share, 0);
    const fairShare = Math.ceil(owned / this.shares.size);
    for (const [other, share] of [...this.shares]) {
      if (share <= fairShare) continue;
      const moving = this.bucketsOf(other)
        .sort((a, b) => this.inFlightOf(a) - this.inFlightOf(b))
        .slice(0, share - fairShare);
      for (const bucket of moving) this.assign(bucket, consumer);
    }
  }

  remove(consumer: C): void {
    for (const bucket of this.bucketsOf(consumer)) {
      this.owners[bucket] = undefined;
      this.inFlight[bucket] = 0;
    }
    this.shares.delete(consumer);
  }

  choose(message: GroupMessage): C | 'skip' | 'full' {
    if (![...this.shares.keys()].some(({ hasRoom }) => hasRoom)) return 'full';
    const bucket = this.bucketOf(message);
    const owner = this.owners[bucket] ?? this.assign(bucket, this.leastLoaded());
    if (owner?.hasRoom !== true) return 'skip';
    this.inFlight[bucket] = this.inFlightOf(bucket) + 1;
    return owner;
  }

  released(consumer: C, message: GroupMessage): void {
    const bucket = this.bucketOf(message);
    if (this.owners[bucket] !== consumer) return;
    this.inFlight[bucket] = Math.max(0, this.inFlightOf(bucket) - 1);
  }

  private assign(bucket: number, consumer: C | undefined): C | undefined {
    const before = this.owners[bucket];
    if (before !== undefined) this.shares.set(before, this.shareOf(before) - 1);
    if (consumer !== undefined) this.shares.set(consumer, this.shareOf(consumer) + 1);
    this.owners[bucket] = consumer;
    this.inFlight[bucket] = 0;
    return consumer;
  }

  private leastLoaded(): C | undefined {
    const [first] = [...this.shares].sort(([, a], [, b]) => a - b);
    return first?.[0];
  }

  private bucketsOf(consumer: C): number[] {
    return this.owners.flatMap((owner, bucket) => (owner === consumer ? [bucket] : []));
  }

  private bucketOf(message: GroupMessage): number {
    const known = this.buckets.get(message);
    if (known !== undefined) return known;
    const bucket = hash(this.keyOf(message)) % BUCKETS;
    this.buckets.set(message, bucket);
    return bucket;
  }

  private shareOf(consumer: C): number {
    return this.shares.get(consumer) ?? 0;
  }

  private inFlightOf(bucket: number): number {
    return this.inFlight[bucket] ?? 0;
  }
}

/** FNV-1a, 32 bits: it only has to spread evenly. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
}
