import {
  type AppendResult,
  assert,
  type Clock,
  type EventBatch,
  EventStore,
  type EventToAppend,
  type ExpectedRevision,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
} from '@app/kernel';
import { type AllPage, EventLog, type EventLogOptions, nextTurn } from './event-log';
import { follow } from './follow';
import type { LogEvent, LogEventToAppend } from './log-event';

/** The event store port on the embedded log: JSON texts, one process, one file in `directory`. */
export class EmbeddedEventStore extends EventStore {
  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** @throws EventLogInUseError, EventLogFormatError */
  static open(options: EventLogOptions): EmbeddedEventStore {
    return new EmbeddedEventStore(EventLog.open(options), options.clock);
  }

  override async append(
    streamId: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
  ): Promise<AppendResult> {
    assert(events.length > 0, 'an append holds at least one event');
    const logged = expected === 'no-stream' ? expected : BigInt(expected);
    const { revision, position } = await this.log.append(streamId, logged, events.map(toBytes));
    return { revision: Number(revision), position };
  }

  override async readStream(streamId: string, options: ReadStreamOptions = {}): Promise<readonly RecordedEvent[]> {
    const { from, ...others } = options;
    const events = await this.log.readStream(streamId, from === undefined ? others : { ...others, from: BigInt(from) });
    return events.map(toText);
  }

  override async readAll({ after, filter, maxCount }: ReadAllOptions): Promise<EventBatch> {
    assert(maxCount > 0, 'a page holds at least one event');
    const events: LogEvent[] = [];
    for (let position = after ?? 0n; ; await nextTurn()) {
      const page = this.log.readAllPage({ after: position, filter, maxCount: maxCount - events.length });
      events.push(...page.events);
      if (page.caughtUp || events.length >= maxCount) return toBatch({ ...page, events });
      position = page.position;
    }
  }

  override async *subscribe(options: {
    readonly after: bigint | null;
    readonly filter: ReadAllOptions['filter'];
    readonly maxBatch: number;
    readonly signal: AbortSignal;
  }): AsyncGenerator<EventBatch, void, undefined> {
    const { after, filter, maxBatch, signal } = options;
    assert(maxBatch > 0, 'a batch holds at least one event');
    const pages = follow(this.log, { after: after ?? 0n, filter, maxCount: maxBatch, signal, clock: this.clock });
    for await (const page of pages) yield toBatch(page);
  }

  override async head(): Promise<bigint | null> {
    return toPosition(this.log.lastPosition);
  }

  /** Tries whether the log can be written to, changing nothing. @throws EventStoreUnavailableError when it can't. */
  probe(): Promise<void> {
    return this.log.probe();
  }

  override close(): Promise<void> {
    return this.log.close();
  }
}

function toBytes({ id, type, data, metadata }: EventToAppend): LogEventToAppend {
  return { id, type, isJson: true, data: Buffer.from(data), metadata: Buffer.from(metadata) };
}

/** The log's latest events are read by several followers, each time as the same objects: decoded once. */
const decoded = new WeakMap<LogEvent, RecordedEvent>();

function toText(event: LogEvent): RecordedEvent {
  const known = decoded.get(event);
  if (known !== undefined) return known;
  const { id, type, data, metadata, streamName: streamId, revision, position } = event;
  const recorded = {
    id,
    type,
    data: text(data),
    metadata: text(metadata),
    streamId,
    revision: Number(revision),
    position,
  };
  decoded.set(event, recorded);
  return recorded;
}

function text({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}

function toBatch({ events, position, caughtUp }: AllPage): EventBatch {
  return { events: events.map(toText), position: toPosition(position), caughtUp };
}

function toPosition(position: bigint): bigint | null {
  return position === 0n ? null : position;
}
