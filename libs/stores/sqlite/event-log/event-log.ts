import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { assert, type Clock, EventStoreUnavailableError, StreamDeletedError } from '@app/event-sourcing';
import { WalCheckpointer } from './wal-checkpointer';
import { CommitSignal } from '@app/stores/commit-signal';
import { AppendTooLargeError, FilterError } from './errors';
import { type BatchStatistics, GroupCommit } from './group-commit';
import {
  isUuid,
  type LogAppendResult,
  type LogEvent,
  type LogEventToAppend,
  type LogExpectation,
  TICKS_PER_MS,
} from './log-event';
import { type LogFilter, type LogPage, LogReader } from './log-reader';
import { LogTail, TAIL_EVENTS } from './log-tail';
import { type AppendRequest, LogWriter } from './log-writer';
import { OwnerLock } from './owner-lock';
import { createPrivateDirectory } from './private-file';
import { readStreamEvents, type StreamReadOptions } from './read-stream';
import { openLogDatabase } from './schema';
import type { ReadDirection, StreamDescription, StreamPage } from './stream-description';

export interface EventLogOptions {
  /** The directory of `events.sqlite` and `lock.sqlite`; created if missing. */
  readonly directory: string;
  readonly clock: Clock;
  /** Called for each transaction, for metrics. */
  readonly onBatch?: (statistics: BatchStatistics) => void;
  /** How many of the latest events are kept in memory for followers. Default: 8,192. */
  readonly tailEvents?: number;
}

/** What followers of a log need of it. */
export interface FollowableLog {
  /** Position of the last event, 0 when the log is empty. */
  readonly lastPosition: bigint;
  readStream(streamName: string, options?: StreamReadOptions): Promise<LogEvent[]>;
  readAllPage(options: { after: bigint; filter: LogFilter; maxCount: number }): AllPage;
  committedAfter(position: bigint, signal: AbortSignal): Promise<void>;
}

export interface AllPage {
  readonly events: readonly LogEvent[];
  /** The last position that was considered; 0 when the log is empty. Never before the start of the page. */
  readonly position: bigint;
  /** True if nothing more is stored after it. */
  readonly caughtUp: boolean;
}

export const LOG_FILE = 'events.sqlite';
const LOCK_FILE = 'lock.sqlite';

/** About as much as EventStoreDB's servers receive at once. */
export const MAX_APPEND_BYTES = 16 * 1024 * 1024;
const EVENT_OVERHEAD_BYTES = 64;

/** The size that an event counts for: data, metadata, type and a fixed part. */
export function appendBytes({ type, data, metadata }: LogEventToAppend): number {
  return data.byteLength + metadata.byteLength + 2 * type.length + EVENT_OVERHEAD_BYTES;
}

/**
 * The durable log in one SQLite file: bytes in, bytes out, with EventStoreDB's rules for appends. Owned by one process.
 * An append is answered after its commit was synced to disk.
 */
export class EventLog implements FollowableLog {
  private readonly writer: LogWriter;
  private readonly reader: LogReader;
  private readonly commits: GroupCommit;
  private readonly checkpointer: WalCheckpointer;
  private readonly tail: LogTail;
  private readonly signal = new CommitSignal();
  private readonly clock: Clock;
  private readonly commitListeners = new Set<(position: bigint) => void>();
  private closing: Promise<void> | null = null;

  private constructor(
    private readonly lock: OwnerLock,
    private readonly database: DatabaseSync,
    { clock, directory, onBatch, tailEvents = TAIL_EVENTS }: EventLogOptions,
  ) {
    this.clock = clock;
    this.tail = new LogTail(tailEvents);
    this.writer = new LogWriter(database, this.tail);
    this.reader = new LogReader(database);
    this.checkpointer = new WalCheckpointer(database, join(directory, LOG_FILE));
    this.commits = new GroupCommit({
      writer: this.writer,
      createdTicks: () => BigInt(Math.trunc(clock.nowMs())) * TICKS_PER_MS,
      onCommitted: (events, bytes) => {
        this.signal.committed();
        for (const listener of this.commitListeners) listener(this.writer.lastPosition);
        this.checkpointer.written(events, bytes);
      },
      onBatch,
    });
  }

  /**
   * @throws EventLogInUseError when another process owns the log.
   * @throws EventLogFormatError when the file is something else, or from a newer version.
   */
  static open(options: EventLogOptions): EventLog {
    createPrivateDirectory(options.directory);
    const lock = OwnerLock.acquire(join(options.directory, LOCK_FILE));
    try {
      return new EventLog(lock, openLogDatabase(join(options.directory, LOG_FILE)), options);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /**
   * Appends all events or none. A re-send of the same events (by id) gets the first answer.
   *
   * @throws WrongExpectedRevisionError, StreamDeletedError, AppendTooLargeError: nothing was written.
   * @throws EventStoreUnavailableError: the outcome is unknown.
   */
  async append(
    streamName: string,
    expected: LogExpectation,
    events: readonly LogEventToAppend[],
  ): Promise<LogAppendResult> {
    assert(streamName !== '', 'a stream has a name');
    assert(typeof expected !== 'bigint' || expected >= 0n, 'an expected revision is not negative');
    let bytes = 0;
    for (const event of events) {
      assert(isUuid(event.id), 'an event id is a UUID');
      assert(event.type !== '', 'an event has a type');
      bytes += appendBytes(event);
    }
    if (bytes > MAX_APPEND_BYTES) throw new AppendTooLargeError(bytes, MAX_APPEND_BYTES);
    const normalized = events.map((event) => ({ ...event, id: event.id.toLowerCase() }));
    return this.enqueue({ kind: 'append', streamName, expected, events: normalized }, bytes);
  }

  /**
   * Tombstones the stream and its metadata stream, with an event of this id that every reader of the log sees.
   *
   * @throws WrongExpectedRevisionError, StreamDeletedError if already tombstoned, EventStoreUnavailableError
   */
  async tombstone(streamName: string, expected: LogExpectation, eventId: string): Promise<LogAppendResult> {
    assert(streamName !== '' && isUuid(eventId), 'a tombstone names a stream and has a UUID');
    const nothing = new Uint8Array(0);
    const event = {
      id: eventId.toLowerCase(),
      type: '$streamDeleted',
      isJson: false,
      data: nothing,
      metadata: nothing,
    };
    return this.enqueue({ kind: 'tombstone', streamName, expected, events: [event] }, EVENT_OVERHEAD_BYTES);
  }

  /**
   * Soft delete: hides all current events of the stream through its metadata. It can be written to again; revisions
   * continue.
   *
   * @throws WrongExpectedRevisionError also if there is nothing to delete, StreamDeletedError,
   * EventStoreUnavailableError
   */
  async softDelete(streamName: string, expected: LogExpectation): Promise<LogAppendResult> {
    assert(streamName !== '', 'a stream has a name');
    return this.enqueue({ kind: 'soft-delete', streamName, expected, events: [] }, EVENT_OVERHEAD_BYTES);
  }

  /** What can be read of the stream at this moment. @throws EventStoreUnavailableError */
  describeStream(streamName: string): StreamDescription {
    return this.read(() => this.reader.describe(streamName, this.clock.nowMs()));
  }

  /**
   * At most `maxCount` of the readable events from `from` (inclusive) on; fewer, even none, if some have expired or are
   * large. Synchronous: yield to the event loop between pages.
   *
   * @throws EventStoreUnavailableError
   */
  readStreamPage(
    stream: StreamDescription,
    options: { readonly direction: ReadDirection; readonly from: bigint; readonly maxCount: number },
  ): StreamPage {
    return this.read(() => this.reader.readDescribed(stream, options));
  }

  /** One event of the stream, even if it is hidden; null if there is none. @throws EventStoreUnavailableError */
  readEvent({ id }: StreamDescription, revision: bigint): LogEvent | null {
    if (id === null) return null;
    const range = { from: revision, to: revision, maxCount: 1 };
    return this.read(() => this.reader.readStreamPage(id, range))[0] ?? null;
  }

  /** At most `maxCount` events before a position, the latest first. @throws EventStoreUnavailableError */
  readAllBackwards(options: { readonly before: bigint; readonly maxCount: number }): LogPage {
    return this.read(() => this.reader.readAllBackwards(options));
  }

  /**
   * The stream's events at this moment, from `from` (inclusive) on; none if it has none. Large streams are read over
   * several turns of the event loop.
   *
   * @throws StreamDeletedError, EventStoreUnavailableError
   */
  async readStream(streamName: string, options: StreamReadOptions = {}): Promise<LogEvent[]> {
    const stream = this.read(() => this.writer.findStream(streamName));
    if (stream === null) return [];
    return readStreamEvents(stream, options, (id, range) => this.read(() => this.reader.readStreamPage(id, range)));
  }

  /**
   * The next matching events after a position, at most `maxCount`. A page considers a bounded number of events, so it
   * may hold few or none before the log's end. Synchronous: yield to the event loop between pages.
   *
   * @throws EventStoreUnavailableError
   */
  readAllPage(options: { after: bigint; filter: LogFilter; maxCount: number }): AllPage {
    const last = this.writer.lastPosition;
    const { after, filter, maxCount } = options;
    if (this.closing !== null) throw closed();
    const recent = this.tail.pageAfter(after, filter, maxCount);
    const page = recent ?? this.read(() => this.reader.readAllPage({ ...options, last }));
    return { ...page, caughtUp: page.position >= last };
  }

  /**
   * Resolves once there is an event after the position, or `signal` is aborted. @throws EventStoreUnavailableError once
   * closed
   */
  async committedAfter(position: bigint, signal: AbortSignal): Promise<void> {
    if (this.closing !== null) throw closed();
    while (!signal.aborted && this.writer.lastPosition <= position) await this.signal.wait(signal);
  }

  /** Calls the listener after each commit with the position of the last event. @returns a function that removes it. */
  onCommitted(listener: (position: bigint) => void): () => void {
    this.commitListeners.add(listener);
    return () => this.commitListeners.delete(listener);
  }

  /** Position of the last event, 0 when the log is empty. */
  get lastPosition(): bigint {
    if (this.closing !== null) throw closed();
    return this.writer.lastPosition;
  }

  /** Checks that the log can be written to, without changing anything. @throws EventStoreUnavailableError if not */
  async probe(): Promise<void> {
    if (this.closing !== null) throw closed();
    this.commits.probe();
  }

  /** Finishes the accepted appends, checkpoints the WAL, and releases the log. */
  close(): Promise<void> {
    return (this.closing ??= this.shutDown());
  }

  private async shutDown(): Promise<void> {
    await this.commits.settled();
    this.signal.fail(closed());
    try {
      await this.checkpointer.close();
      this.copyBack();
    } finally {
      this.database.close();
      this.lock.release();
    }
  }

  /** Optional, and it needs space: committed data are in the WAL as well and are read from there. */
  private copyBack(): void {
    try {
      this.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // The next process to open the log checkpoints it, once there is space.
    }
  }

  private async enqueue(request: AppendRequest, bytes: number): Promise<LogAppendResult> {
    if (this.closing !== null) throw closed();
    return this.commits.add(request, bytes);
  }

  private read<T>(reading: () => T): T {
    try {
      return reading();
    } catch (error) {
      if (error instanceof StreamDeletedError || error instanceof FilterError) throw error;
      if (!this.database.isOpen) throw closed();
      const why = error instanceof Error ? error.message : String(error);
      throw new EventStoreUnavailableError(`The event log could not be read: ${why}`, { cause: error });
    }
  }
}

function closed(): EventStoreUnavailableError {
  return new EventStoreUnavailableError('The event log is closed');
}
