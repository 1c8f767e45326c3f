import {
  type AppendResult,
  assert,
  type Clock,
  type EventBatch,
  EventStore,
  type EventToAppend,
  type ExpectedRevision,
  type Random,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  StreamDeletedError,
} from '@app/event-sourcing';
import { type Append, sizeInBytes } from './append-messages';
import { BatchAppends } from './batch-appends';
import { Connection } from './connection';
import { hidesEvents, METADATA_PREFIX } from './deletions';
import { EventStoreDbFailure, portError, saysStreamDeleted } from './failures';
import { CatchUpTurns } from './catch-up-turns';
import { catchUp } from './follow';
import { LiveTail } from './live-tail';
import { persistently } from './persistently';
import { StoreFilter, streamRequest } from './read-messages';
import { Reads } from './reads';
import { subscribe, withoutPrefix } from './subscribe';

export interface EventStoreDbOptions {
  /** `esdb://` or `esdb+discover://`, with credentials, hosts and settings as the official client accepts them. */
  readonly connectionString: string;
  /** Put before every stream name and filter; may be empty. */
  readonly streamPrefix: string;
  readonly clock: Clock;
  readonly random: Random;
  /** How long a call may wait for its next message. Default: 2,500 ms. */
  readonly callTimeoutMs?: number;
  /** How long a read or an append is retried. Default: 7,500 ms. */
  readonly patienceMs?: number;
  /** How many of the latest events are kept in memory for followers. Default: 8,192. */
  readonly tailEvents?: number;
  /** Called for every answered append with its number of events and its time in ms. */
  readonly onAppended?: (append: { readonly events: number; readonly durationMs: number }) => void;
}

/**
 * A rolling restart leaves a cluster without a leader for up to 7 s. With the last attempt nobody waits longer than 10
 * s.
 */
const PATIENCE_MS = 7_500;

/** A message may hold about 16 MiB; the store accepts 1 MiB per append unless configured otherwise. */
const MAX_APPEND_BYTES = 15 * 1024 * 1024;

/**
 * The event store port on EventStoreDB (23.10 or later) or KurrentDB, by the official client's connection. Every call
 * has a time-out. While the store is away for a moment, safe calls are retried, with the same event ids and revisions.
 * After that `EventStoreUnavailableError` has an `EventStoreDbFailure` as cause.
 *
 * It needs rights to read `$all`, which only administrators have by default, and to write its streams.
 */
export class EventStoreDbEventStore extends EventStore {
  private readonly connection: Connection;
  private readonly appends: BatchAppends;
  private readonly reads: Reads;
  private readonly tail: LiveTail;
  private readonly turns: CatchUpTurns;
  private readonly underWay = new Set<Promise<unknown>>();
  private readonly retriesEnded = new AbortController();
  private isClosed = false;

  private constructor(private readonly options: EventStoreDbOptions) {
    super();
    const { connectionString, clock, random, streamPrefix, callTimeoutMs: timeoutMs = 2_500 } = options;
    this.connection = Connection.open(connectionString, clock);
    this.appends = new BatchAppends({ connection: this.connection, clock, random, timeoutMs });
    this.reads = new Reads(this.connection, clock, timeoutMs);
    this.tail = new LiveTail({ reads: this.reads, clock, streamPrefix, maxEvents: options.tailEvents });
    this.turns = new CatchUpTurns(clock);
  }

  /** Connects with the first call. @throws Error when the client rejects the connection string. */
  static open(options: EventStoreDbOptions): EventStoreDbEventStore {
    return new EventStoreDbEventStore(options);
  }

  override append(
    streamId: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
  ): Promise<AppendResult> {
    return this.accept(`Appending to ${streamId}`, async () => {
      assert(events.length > 0, 'an append holds at least one event');
      const append = { streamId, streamName: this.options.streamPrefix + streamId, expected, events };
      assert(
        sizeInBytes(append) <= MAX_APPEND_BYTES,
        `an append to ${streamId} holds at most ${MAX_APPEND_BYTES} bytes`,
      );
      const { clock, onAppended } = this.options;
      const begunAtMs = clock.monotonicMs();
      // Retries with the same ids and revision: the store recognises what it has written already.
      const answer = await this.repeatedly(() => this.appends.send(append));
      const position = answer.position ?? (await this.positionOf(append, answer.revision));
      this.reads.noteHead(position);
      onAppended?.({ events: events.length, durationMs: clock.monotonicMs() - begunAtMs });
      return { revision: answer.revision, position };
    });
  }

  override readStream(streamId: string, options: ReadStreamOptions = {}): Promise<readonly RecordedEvent[]> {
    return this.accept(`Reading ${streamId}`, async () => {
      const { streamPrefix } = this.options;
      try {
        const events = await this.repeatedly(() => this.reads.events(streamRequest(streamPrefix + streamId, options)));
        return (events ?? []).map((event) => ({ ...event, streamId }));
      } catch (error) {
        if (error instanceof EventStoreDbFailure && saysStreamDeleted(error)) throw new StreamDeletedError(streamId);
        throw error;
      }
    });
  }

  override wasDeletedFrom(streamId: string): Promise<boolean> {
    return this.accept(`Reading the metadata of ${streamId}`, async () => {
      const request = streamRequest(METADATA_PREFIX + this.options.streamPrefix + streamId, {
        direction: 'backwards',
        maxCount: 1,
      });
      try {
        const [last] = (await this.repeatedly(() => this.reads.events(request))) ?? [];
        return last !== undefined && hidesEvents(last);
      } catch (error) {
        if (error instanceof EventStoreDbFailure && saysStreamDeleted(error)) return true;
        throw error;
      }
    });
  }

  /**
   * A subscription that ends when it has caught up or the page is full, since a plain read of the log cannot be
   * filtered.
   */
  override readAll({ after, filter, maxCount }: ReadAllOptions): Promise<EventBatch> {
    return this.accept('Reading the log', async () => {
      assert(maxCount > 0, 'a page holds at least one event');
      const { clock, streamPrefix } = this.options;
      const { signal } = new AbortController();
      const wanted = new StoreFilter(filter, streamPrefix);
      return this.repeatedly(async () => {
        const headBefore = await this.reads.head();
        const options = { after, filter: wanted, maxBatch: maxCount, headBefore, signal, whole: true };
        for await (const page of catchUp(this.reads, clock, options)) return withoutPrefix(page, streamPrefix);
        throw new EventStoreDbFailure('unavailable', 'The read was cut off');
      });
    });
  }

  override async *subscribe(options: {
    readonly after: bigint | null;
    readonly filter: ReadAllOptions['filter'];
    readonly maxBatch: number;
    readonly signal: AbortSignal;
  }): AsyncGenerator<EventBatch, void, undefined> {
    const { signal, maxBatch } = options;
    const { clock, streamPrefix } = this.options;
    assert(maxBatch > 0, 'a batch holds at least one event');
    try {
      if (this.isClosed) throw CLOSED;
      const { reads, tail, turns } = this;
      yield* subscribe({ reads, clock, tail, turns, streamPrefix }, options);
    } catch (error) {
      if (signal.aborted) return;
      throw this.failed('The subscription was lost', error);
    }
  }

  override head(): Promise<bigint | null> {
    return this.accept('Reading the end of the log', () => this.repeatedly(() => this.reads.head()));
  }

  /** No retries from now on: a stopping process has little time. */
  stopRetrying(): void {
    this.retriesEnded.abort();
  }

  override async close(): Promise<void> {
    this.isClosed = true;
    this.stopRetrying();
    await Promise.allSettled([...this.underWay]);
    this.tail.close(CLOSED);
    await this.connection.close();
  }

  /** Where a re-sent append was written the first time, if the answer leaves it out. */
  private async positionOf({ streamName, streamId }: Append, revision: number): Promise<bigint> {
    const request = streamRequest(streamName, { from: revision, maxCount: 1 });
    const [event] = (await this.repeatedly(() => this.reads.events(request))) ?? [];
    assert(event?.revision === revision, `${streamId} holds what was appended to it`);
    return event.position;
  }

  private repeatedly<T>(attempt: () => Promise<T>): Promise<T> {
    return persistently(this.options, this.options.patienceMs ?? PATIENCE_MS, attempt, this.retriesEnded.signal);
  }

  /** Runs the operation unless the store is closed; closing waits for accepted ones. */
  private async accept<T>(what: string, work: () => Promise<T>): Promise<T> {
    if (this.isClosed) throw this.failed(what, CLOSED);
    const working = work();
    this.underWay.add(working);
    try {
      return await working;
    } catch (error) {
      throw this.failed(what, error);
    } finally {
      this.underWay.delete(working);
    }
  }

  private failed(what: string, error: unknown): unknown {
    if (!(error instanceof EventStoreDbFailure)) return error;
    if (this.isClosed) return portError(what, CLOSED);
    const isAway = error.reason === 'unavailable' || error.reason === 'deadline';
    return portError(what, (isAway ? this.connection.transportProblem : null) ?? error);
  }
}

const CLOSED = new EventStoreDbFailure('closed', 'The event store is closed');
