import { RECENT_EVENTS, RecentEvents } from '../../recent-events';
import type { LogEvent } from './log-event';
import { type LogFilter, type LogPage, matches } from './log-reader';

/** How many events are kept unless said otherwise. */
export const TAIL_EVENTS = RECENT_EVENTS;

/**
 * The latest committed events in memory, so that those who follow the log live don't each read it from the file again. It
 * holds a run of positions without a gap, and never what isn't committed.
 */
export class LogTail {
  private readonly recent: RecentEvents<LogEvent>;
  private uncommitted: LogEvent[] = [];

  constructor(maxEvents: number) {
    this.recent = new RecentEvents(maxEvents, ({ data, metadata }) => data.byteLength + metadata.byteLength);
  }

  /** Written in a transaction that has not been committed yet. */
  written(event: LogEvent): void {
    this.uncommitted.push(event);
  }

  committed(): void {
    this.recent.add(this.uncommitted);
    this.uncommitted = [];
  }

  /** After a failure only the file tells what was committed. */
  forget(): void {
    this.recent.forget();
    this.uncommitted = [];
  }

  /** The next matching events after a position; null when they go further back than the tail does. */
  pageAfter(after: bigint, filter: LogFilter, maxCount: number): LogPage | null {
    return this.recent.pageAfter(after, (event) => matches(event, filter), maxCount, filter.isLongEnough);
  }
}
