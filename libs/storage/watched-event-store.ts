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

type Problem = 'events cannot be stored' | 'events cannot be read';

/** An event store that knows whether it can be used. */
export class WatchedEventStore extends EventStore {
  private readonly watch: WriteWatch;
  private latest: Problem = 'events cannot be stored';
  private isTold = false;

  /**
   * @param probe tells whether the store can be written to; rejects when it can't.
   * @param tell hears once of each outage, and once of its end (null).
   */
  constructor(
    private readonly store: EventStore,
    clock: Clock,
    probe: () => Promise<unknown>,
    private readonly tell: (problem: Problem | null) => void = () => undefined,
  ) {
    super();
    this.watch = new WriteWatch(clock, () => probe().then(() => this.isBack()));
  }

  /** Why payments can't be taken or read, in words that anybody may read; null when the store last did what it was asked for. */
  problem(): string | null {
    return this.watch.failing ? this.latest : null;
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

  private async watched<T>(otherwise: Problem, call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      this.note(otherwise, error);
      throw error;
    }
  }

  /** What was read says nothing of the disk that is written to: only an append or a probe ends the outage. */
  private note(problem: Problem, error: unknown): void {
    if (!(error instanceof EventStoreUnavailableError)) return;
    this.latest = problem;
    this.watch.failed();
    if (!this.isTold) this.tell(problem);
    this.isTold = true;
  }

  private isBack(): void {
    if (this.isTold) this.tell(null);
    this.isTold = false;
  }
}
