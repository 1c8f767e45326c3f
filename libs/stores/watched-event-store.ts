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
  /** Checks that the store can be written to; rejects if not. */
  readonly probe: () => Promise<unknown>;
  /** What an operator has to fix, without secrets; null if the failure may pass by itself. */
  readonly obstacleIn?: (error: EventStoreUnavailableError) => string | null;
  /** Called once for each outage and for each obstacle in it, and once at its end (null). */
  readonly tell?: (problem: { readonly problem: string; readonly isObstacle: boolean } | null) => void;
}

/** An event store that reports whether it can be used. */
export class WatchedEventStore extends EventStore {
  private readonly watch: WriteWatch;
  private latest: string = 'events cannot be stored';
  /** The problems of this outage that were reported. */
  private readonly told = new Set<string>();

  constructor(
    private readonly store: EventStore,
    clock: Clock,
    private readonly options: WatchedEventStoreOptions,
  ) {
    super();
    this.watch = new WriteWatch(clock, () => this.tried());
  }

  /** Why payments cannot be stored or read, without secrets; null if the store works. */
  problem(): string | null {
    return this.watch.failing ? this.latest : null;
  }

  /** Checks whether the store can be used, even if there are no calls. */
  async tryOut(): Promise<void> {
    try {
      await this.tried();
      this.watch.succeeded();
    } catch (error) {
      // The reason was recorded by `note`.
      if (!(error instanceof EventStoreUnavailableError)) throw error;
    }
  }

  override async append(
    streamId: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
  ): Promise<AppendResult> {
    // Only a success ends the outage: a refusal may come from memory and proves nothing about the disk.
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

  /** Records a failure. A later read does not prove that writes work: only an append or a probe ends the outage. */
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
