import {
  type AppendResult,
  type EventBatch,
  EventStore,
  EventStoreUnavailableError,
  type EventToAppend,
  type ExpectedRevision,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  StreamDeletedError,
} from '@app/event-sourcing';

type Identity = Pick<RecordedEvent, 'id' | 'streamId' | 'revision' | 'position'>;

/** The event with the highest position seen here, and the highest position seen before it. */
interface Witness extends Identity {
  readonly after: bigint | null;
}

const NOT_THE_SAME = 'The log does not contain events that were seen in it';

/**
 * An event store that remembers the event with the highest position it has read or appended, and can check that the log
 * still contains it. A log that goes back loses its end, and with it that event. After an outage nothing is appended
 * before the log was found to be the same.
 */
export class WitnessedEventStore extends EventStore {
  private witness: Witness | null = null;
  /** The highest position that the store has reported, with or without an event. */
  private furthest = -1n;
  /** The store was unavailable and may now be another one: nothing is stored until it was found to be the same. */
  private isInDoubt = false;
  private looking: Promise<boolean> | null = null;
  private refusal: string | null = null;

  constructor(private readonly store: EventStore) {
    super();
  }

  /**
   * Whether the log still contains what was seen. A stream that was deleted or truncated does not mean that the log
   * went back: the log as a whole keeps its events.
   *
   * @throws EventStoreUnavailableError if that cannot be determined now.
   */
  holdsWhatWasSeen(): Promise<boolean> {
    this.looking ??= this.look().finally(() => {
      this.looking = null;
    });
    return this.looking;
  }

  /** From now on every call except `close` fails with this message, as if the store were unavailable. */
  refuse(message: string): void {
    this.refusal = message;
  }

  override async append(
    streamId: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
  ): Promise<AppendResult> {
    this.check();
    const result = await this.noticing(async () => {
      if (this.isInDoubt && !(await this.holdsWhatWasSeen())) throw new EventStoreUnavailableError(NOT_THE_SAME);
      return this.store.append(streamId, expected, events);
    });
    const id = events.at(-1)?.id ?? '';
    this.see({ id, streamId, revision: result.revision, position: result.position });
    return result;
  }

  override async readStream(streamId: string, options?: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    this.check();
    const events = await this.noticing(() => this.store.readStream(streamId, options));
    this.see(events.at(options?.direction === 'backwards' ? 0 : -1));
    return events;
  }

  override async wasDeletedFrom(streamId: string): Promise<boolean> {
    this.check();
    return this.noticing(() => this.store.wasDeletedFrom(streamId));
  }

  override async readAll(options: ReadAllOptions): Promise<EventBatch> {
    this.check();
    const batch = await this.noticing(() => this.store.readAll(options));
    this.seeBatch(batch);
    return batch;
  }

  override async *subscribe(options: Parameters<EventStore['subscribe']>[0]): AsyncIterable<EventBatch> {
    this.check();
    try {
      for await (const batch of this.store.subscribe(options)) {
        this.check();
        this.seeBatch(batch);
        yield batch;
      }
    } catch (error) {
      this.doubt(error);
      throw error;
    }
  }

  override async head(): Promise<bigint | null> {
    this.check();
    const head = await this.noticing(() => this.store.head());
    if (head !== null) this.reach(head);
    return head;
  }

  override close(): Promise<void> {
    return this.store.close();
  }

  private async look(): Promise<boolean> {
    const { witness, furthest } = this;
    const isHeld =
      ((await this.store.head()) ?? -1n) >= furthest &&
      (witness === null || (await this.isInItsStream(witness)) || (await this.isInTheLog(witness)));
    this.isInDoubt = !isHeld;
    return isHeld;
  }

  private seeBatch({ events, position }: EventBatch): void {
    if (position !== null) this.reach(position);
    this.see(events.at(-1));
  }

  /** Ignored while the log is in doubt: positions of another log must not become the reference. */
  private reach(position: bigint): void {
    if (!this.isInDoubt && position > this.furthest) this.furthest = position;
  }

  private see(event: Identity | undefined): void {
    const after = this.witness?.position ?? null;
    if (event === undefined || this.isInDoubt || (after !== null && event.position <= after)) return;
    this.reach(event.position);
    const { id, streamId, revision, position } = event;
    this.witness = { id, streamId, revision, position, after };
  }

  private async isInItsStream({ id, streamId, revision }: Witness): Promise<boolean> {
    try {
      const [found] = await this.store.readStream(streamId, { from: revision, maxCount: 1 });
      return found?.id === id;
    } catch (error) {
      if (error instanceof StreamDeletedError) return false;
      throw error;
    }
  }

  private async isInTheLog({ id, streamId, after }: Witness): Promise<boolean> {
    const filter = { streamPrefixes: [streamId] };
    const { events } = await this.store.readAll({ after, filter, maxCount: 100 });
    return events.some((event) => event.id === id);
  }

  private async noticing<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      this.doubt(error);
      throw error;
    }
  }

  private doubt(error: unknown): void {
    if (error instanceof EventStoreUnavailableError) this.isInDoubt = true;
  }

  private check(): void {
    if (this.refusal !== null) throw new EventStoreUnavailableError(this.refusal);
  }
}
