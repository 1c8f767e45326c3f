import {
  type AppendResult,
  assert,
  type EventBatch,
  type EventFilter,
  EventStore,
  EventStoreUnavailableError,
  type EventToAppend,
  type ExpectedRevision,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  WrongExpectedRevisionError,
} from '@app/event-sourcing';

/** Positions are sparse, like EventStoreDB's byte offsets, so that specs fail for code that calculates with them. */
const POSITION_STEP = 100n;

/** An event store for specs. Meets the whole contract of the port, except that it does not outlive the process. */
export class MemoryEventStore extends EventStore {
  private readonly log: RecordedEvent[] = [];
  private readonly streams = new Map<string, RecordedEvent[]>();
  private readonly waiting = new Set<() => void>();
  private isClosed = false;

  override async append(
    streamId: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
  ): Promise<AppendResult> {
    this.assertOpen();
    assert(events.length > 0, 'an append holds at least one event');
    const stream = this.streams.get(streamId) ?? [];
    const next = expected === 'no-stream' ? 0 : expected + 1;
    if (next !== stream.length) {
      const earlier = stream.slice(next, next + events.length);
      const last = earlier.at(-1);
      const isResend = earlier.length === events.length && earlier.every(({ id }, index) => id === events[index]?.id);
      if (isResend && last !== undefined) return { revision: last.revision, position: last.position };
      throw new WrongExpectedRevisionError(streamId, String(expected), stream.at(-1)?.revision ?? null);
    }
    for (const { id, type, data, metadata } of events) {
      const place = { streamId, revision: stream.length, position: POSITION_STEP * BigInt(this.log.length + 1) };
      const recorded = { id, type, data, metadata, ...place };
      stream.push(recorded);
      this.log.push(recorded);
    }
    this.streams.set(streamId, stream);
    this.wakeAll();
    return { revision: stream.length - 1, position: this.lastPosition() ?? 0n };
  }

  override async readStream(streamId: string, options: ReadStreamOptions = {}): Promise<readonly RecordedEvent[]> {
    this.assertOpen();
    const { direction = 'forwards', from, maxCount = Infinity } = options;
    const stream = this.streams.get(streamId) ?? [];
    if (direction === 'forwards') return stream.slice(from ?? 0).slice(0, maxCount);
    return stream
      .slice(0, from === undefined ? stream.length : from + 1)
      .reverse()
      .slice(0, maxCount);
  }

  override async readAll(options: ReadAllOptions): Promise<EventBatch> {
    return this.page(options);
  }

  override async *subscribe(options: {
    readonly after: bigint | null;
    readonly filter: ReadAllOptions['filter'];
    readonly maxBatch: number;
    readonly signal: AbortSignal;
  }): AsyncGenerator<EventBatch, void, undefined> {
    const { filter, maxBatch, signal } = options;
    let after = options.after;
    let isLive = false;
    while (!signal.aborted) {
      // No await between this and the wait below, so that no append goes unnoticed.
      const batch = this.page({ after, filter, maxCount: maxBatch });
      if (isLive && batch.position === after) {
        await this.nextAppend(signal);
        continue;
      }
      after = batch.position;
      isLive = batch.caughtUp;
      yield batch;
    }
  }

  override async head(): Promise<bigint | null> {
    this.assertOpen();
    return this.lastPosition();
  }

  override async close(): Promise<void> {
    this.isClosed = true;
    this.wakeAll();
  }

  private page({ after, filter, maxCount }: ReadAllOptions): EventBatch {
    this.assertOpen();
    assert(maxCount > 0, 'a page holds at least one event');
    const events: RecordedEvent[] = [];
    let position = after;
    for (let index = this.indexAfter(after); index < this.log.length; index += 1) {
      const event = this.log[index];
      if (event === undefined) break;
      if (matches(event, filter)) {
        if (events.length === maxCount) return { events, position, caughtUp: false };
        events.push(event);
      }
      position = event.position;
    }
    return { events, position: position ?? this.lastPosition(), caughtUp: true };
  }

  private lastPosition(): bigint | null {
    return this.log.at(-1)?.position ?? null;
  }

  private indexAfter(position: bigint | null): number {
    return position === null ? 0 : Number(position / POSITION_STEP);
  }

  private nextAppend(signal: AbortSignal): Promise<void> {
    this.assertOpen();
    return new Promise((resolve) => {
      const wake = () => {
        this.waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      signal.addEventListener('abort', wake);
      this.waiting.add(wake);
    });
  }

  private wakeAll(): void {
    for (const wake of [...this.waiting]) wake();
  }

  private assertOpen(): void {
    if (this.isClosed) throw new EventStoreUnavailableError('The event store is closed');
  }
}

function matches(event: RecordedEvent, { streamPrefixes, types }: EventFilter): boolean {
  if (types !== undefined && !types.includes(event.type)) return false;
  return streamPrefixes.some((prefix) => event.streamId.startsWith(prefix));
}
