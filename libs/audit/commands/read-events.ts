import { assertNotDeleted, EventStore, type RecordedEvent } from '@app/event-sourcing';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';

/** Of the texts of a page's events. The last one may exceed it, if it is the only one. */
const MAX_PAGE_BYTES = 512 * 1024;
/** Events read at once: few enough to keep the thread free for others. */
const MAX_READ_EVENTS = 100;

export interface EventPage<Place> {
  /** As stored, foreign and forged ones too. */
  readonly events: readonly RecordedEvent[];
  /** Null: there is nothing behind them. */
  readonly next: Place | null;
}

/** A place in a run that ends at a fixed place: whoever reads on meets no end to what reading adds to the log. */
export interface Place<P> {
  readonly after: P | null;
  readonly until: P;
}

/** Events of the whole log, in its order. */
export class ReadEventsQuery extends Query<EventPage<Place<bigint>>> {
  constructor(
    /** `until` null: up to the log's end at this moment. */
    readonly place: { readonly after: bigint | null; readonly until: bigint | null },
    /** Only of streams whose names begin so. */
    readonly streamPrefix: string,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(ReadEventsQuery)
export class ReadEventsHandler implements IQueryHandler<ReadEventsQuery> {
  constructor(private readonly eventStore: EventStore) {}

  /** @throws EventStoreUnavailableError */
  async execute({ place, streamPrefix, limit }: ReadEventsQuery): Promise<EventPage<Place<bigint>>> {
    const until = place.until ?? (await this.eventStore.head());
    if (until === null || (place.after ?? -1n) >= until) return { events: [], next: null };
    const page = new Page(limit);
    const filter = { streamPrefixes: [streamPrefix] };
    for (let { after } = place; ;) {
      const maxCount = Math.min(MAX_READ_EVENTS, page.left);
      const batch = await this.eventStore.readAll({ after, filter, maxCount });
      for (const event of batch.events) {
        if (event.position > until) return { events: page.events, next: null };
        if (page.take(event)) continue;
        return { events: page.events, next: { after: page.events.at(-1)?.position ?? after, until } };
      }
      after = batch.position ?? after;
      if (batch.caughtUp || after === null || after >= until) return { events: page.events, next: null };
      if (page.left === 0) return { events: page.events, next: { after, until } };
    }
  }
}

/** Events of one stream. The places are revisions. */
export class ReadStreamEventsQuery extends Query<EventPage<Place<number>>> {
  constructor(
    readonly streamId: string,
    readonly place: { readonly after: number | null; readonly until: number | null },
    readonly direction: 'forwards' | 'backwards',
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(ReadStreamEventsQuery)
export class ReadStreamEventsHandler implements IQueryHandler<ReadStreamEventsQuery> {
  constructor(private readonly eventStore: EventStore) {}

  /** @throws StreamDeletedError, EventStoreUnavailableError */
  async execute(query: ReadStreamEventsQuery): Promise<EventPage<Place<number>>> {
    const { streamId, place, direction, limit } = query;
    const [step, end] = direction === 'forwards' ? [1, 'backwards' as const] : [-1, 'forwards' as const];
    const until =
      place.until ?? (await this.eventStore.readStream(streamId, { direction: end, maxCount: 1 }))[0]?.revision;
    if (until === undefined) await assertNotDeleted(this.eventStore, streamId);
    if (until === undefined || ((place.after ?? NaN) - until) * step >= 0) return { events: [], next: null };
    const page = new Page(limit);
    for (let { after } = place; ;) {
      const from = after === null ? {} : { from: after + step };
      const maxCount = Math.min(MAX_READ_EVENTS, page.left);
      const events = await this.eventStore.readStream(streamId, { ...from, direction, maxCount });
      for (const event of events) {
        if (!page.take(event))
          return { events: page.events, next: { after: page.events.at(-1)?.revision ?? after, until } };
        after = event.revision;
        if (after === until) return { events: page.events, next: null };
      }
      if (events.length < maxCount) return { events: page.events, next: null };
      if (page.left === 0) return { events: page.events, next: { after, until } };
    }
  }
}

/** Events up to a count and a size; at least one. */
class Page {
  readonly events: RecordedEvent[] = [];
  private bytes = 0;

  constructor(private readonly limit: number) {}

  get left(): number {
    return this.limit - this.events.length;
  }

  /** False, and not taken, if the event does not fit. */
  take(event: RecordedEvent): boolean {
    const bytes = Buffer.byteLength(event.data) + Buffer.byteLength(event.metadata);
    if (this.events.length > 0 && this.bytes + bytes > MAX_PAGE_BYTES) return false;
    this.events.push(event);
    this.bytes += bytes;
    return true;
  }
}

/** The position of the last event of the log; null if there is none. */
export class ReadHeadQuery extends Query<bigint | null> {}

@QueryHandler(ReadHeadQuery)
export class ReadHeadHandler implements IQueryHandler<ReadHeadQuery> {
  constructor(private readonly eventStore: EventStore) {}

  /** @throws EventStoreUnavailableError */
  execute(): Promise<bigint | null> {
    return this.eventStore.head();
  }
}
