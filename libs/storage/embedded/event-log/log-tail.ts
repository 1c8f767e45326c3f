import type { LogEvent } from './log-event';
import { type LogFilter, type LogPage, matches, MAX_PAGE_BYTES } from './log-reader';

/** How many events are kept unless said otherwise; beyond it, or beyond the bytes, the older half is let go. */
export const TAIL_EVENTS = 8_192;
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * The latest committed events in memory, so that those who follow the log live don't each read it from the file again. It
 * holds a run of positions without a gap, and never what isn't committed.
 */
export class LogTail {
  private events: LogEvent[] = [];
  private bytes = 0;
  private uncommitted: LogEvent[] = [];

  constructor(private readonly maxEvents: number) {}

  /** Written in a transaction that has not been committed yet. */
  written(event: LogEvent): void {
    this.uncommitted.push(event);
  }

  committed(): void {
    for (const event of this.uncommitted) {
      this.events.push(event);
      this.bytes += sizeOf(event);
    }
    this.uncommitted = [];
    while (this.events.length > this.maxEvents || this.bytes > MAX_BYTES) {
      const half = Math.max(1, this.events.length >> 1);
      for (const event of this.events.splice(0, half)) this.bytes -= sizeOf(event);
    }
  }

  /** After a failure only the file tells what was committed. */
  forget(): void {
    this.events = [];
    this.bytes = 0;
    this.uncommitted = [];
  }

  /** The next matching events after a position; null when they go further back than the tail does. */
  pageAfter(after: bigint, filter: LogFilter, maxCount: number): LogPage | null {
    const first = this.events[0];
    if (first === undefined || after < first.position - 1n) return null;
    const found: LogEvent[] = [];
    let position = after;
    let bytes = 0;
    for (let index = Number(after - first.position) + 1; index < this.events.length; index += 1) {
      const event = this.events[index] as LogEvent;
      position = event.position;
      if (!matches(event, filter)) continue;
      found.push(event);
      bytes += sizeOf(event);
      if (found.length === maxCount || bytes >= MAX_PAGE_BYTES) break;
    }
    return { events: found, position };
  }
}

function sizeOf({ data, metadata }: LogEvent): number {
  return data.byteLength + metadata.byteLength + 128;
}
