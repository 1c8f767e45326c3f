import type { RecordedEvent } from '@app/event-sourcing';

/** What is kept of the latest events unless said otherwise; beyond it, or beyond the bytes, the older half is let go. */
export const RECENT_EVENTS = 8_192;
const MAX_BYTES = 16 * 1024 * 1024;
/** A page ends early at this size, so that large events don't pile up: each of those who follow a log holds one. */
export const MAX_PAGE_BYTES = 1024 * 1024;
/** What an event takes beside its data and metadata. */
const EVENT_BYTES = 128;

interface Positioned {
  readonly position: bigint;
}

/**
 * The latest events of a log in memory, so that those who follow it live share them. It holds everything from a position on,
 * without a gap; positions rise, and need not be dense.
 */
export class RecentEvents<E extends Positioned> {
  private events: E[] = [];
  private bytes = 0;

  /**
   * @param contentSize bytes of an event's data and metadata
   * @param since the position after which it holds everything; null before the first event, when that one says so
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

  /** Whether it holds everything after the position. */
  reaches(position: bigint): boolean {
    return this.since !== null && position >= this.since;
  }

  /**
   * The next events after a position that are wanted; null when they go further back than what is kept. `position` is that of
   * the last event that was considered, and `isLast` says whether there was none after it.
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

  /** Where the first event after the position stands. */
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

/** Of an event whose texts are at hand, roughly: a character is one byte, or two or three. */
export function contentSize({ data, metadata }: Pick<RecordedEvent, 'data' | 'metadata'>): number {
  return data.length + metadata.length;
}
