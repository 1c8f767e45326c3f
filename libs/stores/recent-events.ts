import type { RecordedEvent } from '@app/event-sourcing';

/** The default number of latest events kept. Beyond it, or beyond `MAX_BYTES`, the older half is dropped. */
export const RECENT_EVENTS = 8_192;
const MAX_BYTES = 16 * 1024 * 1024;
/** A page ends early at this size, so that large events do not pile up: each follower of a log holds one page. */
export const MAX_PAGE_BYTES = 1024 * 1024;
/** The overhead of an event, without its data and metadata. */
const EVENT_BYTES = 128;

interface Positioned {
  readonly position: bigint;
}

/**
 * The latest events of a log in memory, shared by its live followers. Contains everything after a position,
 * without a gap; positions rise, and may be sparse.
 */
export class RecentEvents<E extends Positioned> {
  private events: E[] = [];
  private bytes = 0;

  /**
   * @param contentSize bytes of an event's data and metadata
   * @param since the position after which it contains everything; null: the first event added determines it
   */
  constructor(
    private readonly maxEvents: number,
    private readonly contentSize: (event: E) => number,
    private since: bigint | null = null,
  ) {}

  add(events: readonly E[]): void {
    for (const event of events) {
      this.since ??= event.position - 1n;
      this.events.push(event);
      this.bytes += this.sizeOf(event);
    }
    while (this.events.length > this.maxEvents || this.bytes > MAX_BYTES) {
      for (const event of this.events.splice(0, Math.max(1, this.events.length >> 1))) {
        this.bytes -= this.sizeOf(event);
        this.since = event.position;
      }
    }
  }

  forget(): void {
    this.events = [];
    this.bytes = 0;
    this.since = null;
  }

  /** Whether it contains everything after the position. */
  reaches(position: bigint): boolean {
    return this.since !== null && position >= this.since;
  }

  /**
   * The next wanted events after a position; null if the position is before what is kept. `position` is that of
   * the last event considered, and `isLast` is true if there was none after it.
   */
  pageAfter(
    after: bigint,
    isWanted: (event: E) => boolean,
    maxCount: number,
    isLongEnough?: () => boolean,
  ): { readonly events: readonly E[]; readonly position: bigint; readonly isLast: boolean } | null {
    if (!this.reaches(after)) return null;
    const found: E[] = [];
    let position = after;
    let bytes = 0;
    let index = this.indexAfter(after);
    for (let isFull = false; !isFull && index < this.events.length; index += 1) {
      const event = this.events[index] as E;
      position = event.position;
      if (isWanted(event)) {
        found.push(event);
        bytes += this.sizeOf(event);
      }
      isFull = found.length === maxCount || bytes >= MAX_PAGE_BYTES || isLongEnough?.() === true;
    }
    return { events: found, position, isLast: index === this.events.length };
  }

  /** The index of the first event after the position. */
  private indexAfter(position: bigint): number {
    let [low, high] = [0, this.events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.events[middle] as E).position > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  private sizeOf(event: E): number {
    return this.contentSize(event) + EVENT_BYTES;
  }
}

/** The approximate size of an event with texts: a character is one to three bytes. */
export function contentSize({ data, metadata }: Pick<RecordedEvent, 'data' | 'metadata'>): number {
  return data.length + metadata.length;
}
