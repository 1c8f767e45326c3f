import { RECENT_EVENTS, RecentEvents } from '@app/stores/recent-events';
import type { LogEvent } from './log-event';
import { type LogFilter, type LogPage, matches } from './log-reader';

/** Default number of events kept. */
export const TAIL_EVENTS = RECENT_EVENTS;

/**
 * The latest committed events in memory, so that live subscriptions need not read them from the file. A run of
 * positions without gaps.
 */
export class LogTail {
  private readonly recent: RecentEvents<LogEvent>;
  private uncommitted: LogEvent[] = [];

  constructor(maxEvents: number) {
    this.recent = new RecentEvents(maxEvents, ({ data, metadata }) => data.byteLength + metadata.byteLength);
  }

  /** Adds an event of a transaction that is not committed yet. */
  written(event: LogEvent): void {
    this.uncommitted.push(event);
  }

  committed(): void {
    this.recent.add(this.uncommitted);
    this.uncommitted = [];
  }

  /** Drops everything: after a failure only the file shows what was committed. */
  forget(): void {
    this.recent.forget();
    this.uncommitted = [];
  }

  /** The next matching events after a position; null if the position is before the tail. */
  pageAfter(after: bigint, filter: LogFilter, maxCount: number): LogPage | null {
    return this.recent.pageAfter(after, (event) => matches(event, filter), maxCount, filter.isLongEnough);
  }
}
