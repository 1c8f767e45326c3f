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
} from '@app/event-sourcing';

type Problem = 'events cannot be stored' | 'events cannot be read';

export interface WatchedEventStoreOptions {
  /** Tells whether the store can be written to; rejects when it can't. */
  readonly probe: () => Promise<unknown>;
  /** What stands in the way until somebody mends it, in words that anybody may read; null where it may pass by itself. */
  readonly obstacleIn?: (error: EventStoreUnavailableError) => string | null;
  /** Hears once of each outage and of each obstacle in it, and once of its end (null). */
  readonly tell?: (problem: { readonly problem: string; readonly isObstacle: boolean } | null) => void;
}

/** An event store that knows whether it can be used. */
export class WatchedEventStore extends EventStore {
  private readonly watch: WriteWatch;
  private latest: string = 'events cannot be stored';
  /** What was told of this outage. */
  private readonly told = new Set<string>();

  constructor(
    private readonly store: EventStore,
    clock: Clock,
    private readonly options: WatchedEventStoreOptions,
  ) {
    super();
    this.watch = new WriteWatch(clock, () => this.tried());
  }

  /** Why payments can't be taken or read, in words that anybody may read; null when the store last did what it was asked for. */
  problem(): string | null {
    return this.watch.failing ? this.latest : null;
  }

  /** Finds out whether it can be used, also when nobody has used it. */
  async tryOut(): Promise<void> {
    try {
      await this.tried();
      this.watch.succeeded();
    } catch (error) {
      // Why it can't has been noted.
      if (!(error instanceof EventStoreUnavailableError)) throw error;
    }
  }

  override async append(
    streamId: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
  ): Promise<AppendResult> {
    // A refusal says nothing of the disk: it may have come from what is in memory.
    const result = await this.watched('events cannot be stored', this.store.append(streamId, expected, events));
    this.watch.succeeded();
    this.isBack();
    return result;
  }

  override readStream(streamId: string, options?: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    return this.watched('events cannot be read', this.store.readStream(streamId, options));
  }

  override wasDeletedFrom(streamId: string): Promise<boolean> {
    return this.watched('events cannot be read', this.store.wasDeletedFrom(streamId));
  }

  override readAll(options: ReadAllOptions): Promise<EventBatch> {
    return this.watched('events cannot be read', this.store.readAll(options));
  }

  override async *subscribe(options: Parameters<EventStore['subscribe']>[0]): AsyncIterable<EventBatch> {
    try {
      yield* this.store.subscribe(options);
    } catch (error) {
      this.note('events cannot be read', error);
      throw error;
    }
  }

  override head(): Promise<bigint | null> {
    return this.watched('events cannot be read', this.store.head());
  }

  override close(): Promise<void> {
    return this.store.close();
  }

  private async tried(): Promise<void> {
    await this.watched(null, this.options.probe());
    this.isBack();
  }

  private async watched<T>(otherwise: Problem | null, call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      this.note(otherwise, error);
      throw error;
    }
  }

  /** What was read says nothing of the disk that is written to: only an append or a probe ends the outage. */
  private note(problem: Problem | null, error: unknown): void {
    if (!(error instanceof EventStoreUnavailableError)) return;
    const obstacle = this.options.obstacleIn?.(error) ?? null;
    this.latest = obstacle ?? problem ?? this.latest;
    this.watch.failed();
    if (obstacle === null ? this.told.size > 0 : this.told.has(obstacle)) return;
    this.told.add(this.latest);
    this.options.tell?.({ problem: this.latest, isObstacle: obstacle !== null });
  }

  private isBack(): void {
    if (this.told.size > 0) this.options.tell?.(null);
    this.told.clear();
  }
}
