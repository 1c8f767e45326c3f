import {
  assert,
  type Clock,
  type EventBatch,
  EventStore,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
} from '@app/event-sourcing';
import { type FollowedPages, followPages } from '@app/stores/follow-pages';
import { nextTurn } from '@app/stores/next-turn';
import type { AllPage, FollowableLog } from './event-log';
import type { LogEvent } from './log-event';

/** The reading half of the event store port on the embedded log: JSON texts. */
export abstract class LogEventStore extends EventStore {
  constructor(
    private readonly readable: FollowableLog,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async readStream(streamId: string, options: ReadStreamOptions = {}): Promise<readonly RecordedEvent[]> {
    const { from, ...others } = options;
    const events = await this.readable.readStream(
      streamId,
      from === undefined ? others : { ...others, from: BigInt(from) },
    );
    return events.map(toText);
  }

  override async readAll({ after, filter, maxCount }: ReadAllOptions): Promise<EventBatch> {
    assert(maxCount > 0, 'a page holds at least one event');
    const events: LogEvent[] = [];
    for (let position = after ?? 0n; ; await nextTurn()) {
      const page = this.readable.readAllPage({ after: position, filter, maxCount: maxCount - events.length });
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
    const log = this.readable;
    const followed: FollowedPages<AllPage> = {
      pageAfter: (position) => log.readAllPage({ after: position, filter, maxCount: maxBatch }),
      changedAfter: ({ position }, until) => log.committedAfter(position, until),
    };
    const pages = followPages(followed, { after: after ?? 0n, signal, clock: this.clock });
    for await (const page of pages) yield toBatch(page);
  }

  override async head(): Promise<bigint | null> {
    return toPosition(this.readable.lastPosition);
  }
}

/** Several subscriptions read the latest events as the same objects, so they are decoded only once. */
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
