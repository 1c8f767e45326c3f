import {
  type AppendResult,
  type Clock,
  type EventBatch,
  EventStore,
  EventStoreUnavailableError,
  type EventToAppend,
  type ExpectedRevision,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  WriteWatch,
} from '@app/kernel';

/** An event store that knows whether it can be written to. */
export class WatchedEventStore extends EventStore {
  private readonly writes: WriteWatch;

  /** @param probe tells whether the store can be written to; rejects when it can't. */
  constructor(
    private readonly store: EventStore,
    clock: Clock,
    probe: () => Promise<unknown>,
  ) {
    super();
    this.writes = new WriteWatch(clock, probe);
  }

  /** Why payments can't be taken, in words that anybody may read; null when the latest append was stored. */
  problem(): string | null {
    return this.writes.failing ? 'events cannot be stored' : null;
  }

  override async append(
    streamId: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
  ): Promise<AppendResult> {
    try {
      const result = await this.store.append(streamId, expected, events);
      this.writes.succeeded();
      return result;
    } catch (error) {
      // A refusal says nothing of the disk: it may have come from what is in memory.
      if (error instanceof EventStoreUnavailableError) this.writes.failed();
      throw error;
    }
  }

  override readStream(streamId: string, options?: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    return this.store.readStream(streamId, options);
  }

  override readAll(options: ReadAllOptions): Promise<EventBatch> {
    return this.store.readAll(options);
  }

  override subscribe(options: Parameters<EventStore['subscribe']>[0]): AsyncIterable<EventBatch> {
    return this.store.subscribe(options);
  }

  override head(): Promise<bigint | null> {
    return this.store.head();
  }

  override close(): Promise<void> {
    return this.store.close();
  }
}
