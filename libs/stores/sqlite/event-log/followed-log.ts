import type { DatabaseSync } from 'node:sqlite';
import { assert, EventStoreUnavailableError, StreamDeletedError } from '@app/event-sourcing';
import { CommitSignal } from '@app/stores/commit-signal';
import type { AllPage, FollowableLog } from './event-log';
import type { LogEvent } from './log-event';
import { type LogFilter, type LogPage, LogReader } from './log-reader';
import { LogTail } from './log-tail';
import { readStreamEvents, type StreamReadOptions } from './read-stream';

const EVERYTHING: LogFilter = { streamPrefixes: [''] };
/** New events read from the file into the tail at once. */
const TAIL_PAGE_EVENTS = 1_000;

/**
 * A log that another thread writes, read through a connection of its own, up to what its owner has reported. New events
 * are read from the file once for all followers.
 */
export class FollowedLog implements FollowableLog {
  private readonly reader: LogReader;
  private readonly signal = new CommitSignal();
  private readonly tail: LogTail;
  /** The last position in the tail. */
  private tailed: bigint;

  /** @param last the last position that its owner has reported, 0 when the log is empty */
  constructor(
    private readonly database: DatabaseSync,
    private last: bigint,
    tailEvents: number,
  ) {
    this.reader = new LogReader(database);
    this.tail = new LogTail(tailEvents);
    this.tailed = last;
  }

  get lastPosition(): bigint {
    this.checkOpen();
    return this.last;
  }

  /** Reports that the owner has committed everything up to the position. */
  told(position: bigint): void {
    if (position <= this.last) return;
    this.last = position;
    this.signal.committed();
  }

  /** Reads the file, which may be ahead of what was reported. @throws StreamDeletedError, EventStoreUnavailableError */
  async readStream(streamName: string, options: StreamReadOptions = {}): Promise<LogEvent[]> {
    const stream = this.read(() => this.reader.findStream(streamName));
    if (stream === null) return [];
    return readStreamEvents(stream, options, (id, range) => this.read(() => this.reader.readStreamPage(id, range)));
  }

  /** @throws EventStoreUnavailableError */
  readAllPage(options: { after: bigint; filter: LogFilter; maxCount: number }): AllPage {
    const { after, filter, maxCount } = options;
    const { last } = this;
    const page = this.read(() => {
      if (after >= this.tailed) this.readTail();
      return this.tail.pageAfter(after, filter, maxCount) ?? upTo(last, this.reader.readAllPage({ ...options, last }));
    });
    return { ...page, caughtUp: page.position >= last };
  }

  /**
   * Resolves once an event after the position was reported, or `signal` is aborted. @throws EventStoreUnavailableError
   * once closed
   */
  async committedAfter(position: bigint, signal: AbortSignal): Promise<void> {
    this.checkOpen();
    while (!signal.aborted && this.last <= position) await this.signal.wait(signal);
  }

  close(): void {
    if (!this.database.isOpen) return;
    this.database.close();
    this.signal.fail(closed());
  }

  private readTail(): void {
    while (this.tailed < this.last) {
      const page = this.reader.readAllPage({
        after: this.tailed,
        last: this.last,
        filter: EVERYTHING,
        maxCount: TAIL_PAGE_EVENTS,
      });
      const { events } = upTo(this.last, page);
      assert(events.length > 0, 'reported events are in the file');
      for (const event of events) this.tail.written(event);
      this.tail.committed();
      this.tailed = events.at(-1)?.position ?? this.tailed;
    }
  }

  private read<T>(reading: () => T): T {
    this.checkOpen();
    try {
      return reading();
    } catch (error) {
      if (error instanceof StreamDeletedError) throw error;
      const why = error instanceof Error ? error.message : String(error);
      throw new EventStoreUnavailableError(`The event log could not be read: ${why}`, { cause: error });
    }
  }

  private checkOpen(): void {
    if (!this.database.isOpen) throw closed();
  }
}

/**
 * The file may be ahead of what was reported. A follower ahead of the head would take its own checkpoint for one of
 * another log.
 */
function upTo(last: bigint, page: LogPage): LogPage {
  if (page.position <= last) return page;
  return { events: page.events.filter(({ position }) => position <= last), position: last };
}

function closed(): EventStoreUnavailableError {
  return new EventStoreUnavailableError('The event log is closed');
}
