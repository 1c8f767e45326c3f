import type { Candidate } from '../dispatch/strategy';
import type { GroupMessage } from './message';
import type { Timings } from './timings';

/** A message delivered to a consumer and not answered yet. */
export interface Delivery {
  readonly message: GroupMessage;
  readonly consumer: Consumer;
  /** Earlier deliveries of it. */
  readonly retryCount: number;
  readonly sentAtMs: number;
  /** When it is retried. */
  readonly dueAtMs: number;
}

/** At this size a consumer gets nothing more until it answers, however many messages it asked for. */
const MAX_IN_FLIGHT_BYTES = 16 * 1024 * 1024;

/** What one consumer has in flight. */
export class Consumer implements Candidate {
  /** By id. A source may hold events with the same id; they are answered in the order of their delivery. */
  private readonly byId = new Map<string, Delivery[]>();
  private bytes = 0;
  inFlight = 0;
  delivered = 0;

  constructor(
    /** The most messages it may have in flight. */
    readonly capacity: number,
    readonly timings: Timings | null = null,
  ) {}

  get hasRoom(): boolean {
    return this.inFlight < this.capacity && this.bytes < MAX_IN_FLIGHT_BYTES;
  }

  take(delivery: Delivery): void {
    const { id, bytes } = delivery.message;
    const same = this.byId.get(id);
    if (same === undefined) this.byId.set(id, [delivery]);
    else same.push(delivery);
    this.inFlight += 1;
    this.delivered += 1;
    this.bytes += bytes;
  }

  has(id: string): boolean {
    return this.byId.has(id);
  }

  /** The message was answered, or is no longer waited for. Returns undefined if the consumer has no such message. */
  release(id: string, nowMs: number): Delivery | undefined {
    const same = this.byId.get(id);
    const delivery = same?.shift();
    if (same === undefined || delivery === undefined) return undefined;
    if (same.length === 0) this.byId.delete(id);
    this.inFlight -= 1;
    this.bytes -= delivery.message.bytes;
    this.timings?.record(nowMs - delivery.sentAtMs);
    return delivery;
  }

  *deliveries(): Iterable<Delivery> {
    for (const same of this.byId.values()) yield* same;
  }
}
