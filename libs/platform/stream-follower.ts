import {
  type Clock,
  type EventBatch,
  type EventStore,
  EventStoreUnavailableError,
  type RecordedEvent,
} from '@app/event-sourcing';

/** After this long without a successful read something may have been missed, a revocation say. */
const STALE_AFTER_MS = 60_000;
/**
 * Reads on a timer, so that a revocation takes effect everywhere within a second even if the subscription has gone
 * silent.
 */
const READ_EVERY_MS = 500;
const RECONNECT_AFTER_MS = 500;
const PAGE_SIZE = 500;

export interface StreamFollowerDependencies {
  readonly eventStore: EventStore;
  readonly clock: Clock;
  readonly streamPrefix: string;
  /** Receives each event at least once, in the order of the log. */
  readonly take: (event: RecordedEvent) => void;
}

/**
 * Keeps what a process holds in memory of some streams up to the log: own changes after `refresh`, those of other
 * processes as soon as `follow` receives them.
 */
export class StreamFollower {
  private position: bigint | null = null;
  private lastReadAtMs: number | null = null;
  private reading: Promise<void> = Promise.resolve();
  private nextReading: Promise<void> | null = null;

  constructor(private readonly deps: StreamFollowerDependencies) {}

  /** Whether a change may have been missed. */
  isStale(): boolean {
    return this.lastReadAtMs === null || this.deps.clock.monotonicMs() - this.lastReadAtMs > STALE_AFTER_MS;
  }

  /**
   * Reads to the end of the log: everything appended before the call applies once it resolves. Calls made while a read
   * is running share the next one.
   *
   * @throws EventStoreUnavailableError
   */
  refresh(): Promise<void> {
    this.nextReading ??= this.reading.then(() => {
      this.nextReading = null;
      const reading = this.readOn();
      this.reading = reading.catch(() => undefined);
      return reading;
    });
    return this.nextReading;
  }

  /** For changes whose response holds a secret that is shown only once: a failing read must not lose that response. */
  async refreshBestEffort(): Promise<void> {
    try {
      await this.refresh();
    } catch (error) {
      if (!(error instanceof EventStoreUnavailableError)) throw error;
    }
  }

  /** Follows the log until `signal` is aborted, and reconnects when the store was unavailable. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.followOnce(signal);
      } catch (error) {
        if (!(error instanceof EventStoreUnavailableError)) throw error;
      }
      await this.deps.clock.sleep(RECONNECT_AFTER_MS, signal);
    }
  }

  /** The subscription delivers changes at once; the reads in parallel detect that it has gone silent. */
  private async followOnce(signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const end = (): void => ended.abort();
    signal.addEventListener('abort', end, { once: true });
    try {
      const parts = [this.subscribe(ended.signal), this.keepReading(ended.signal)];
      for (const part of await Promise.allSettled(parts.map((running) => running.finally(end)))) {
        if (part.status === 'rejected') throw part.reason;
      }
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  private async subscribe(signal: AbortSignal): Promise<void> {
    const options = { after: this.position, filter: this.filter, maxBatch: PAGE_SIZE, signal };
    for await (const batch of this.deps.eventStore.subscribe(options)) this.take(batch);
  }

  private async keepReading(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.deps.clock.sleep(READ_EVERY_MS, signal);
      if (signal.aborted) return;
      await this.refresh();
    }
  }

  private async readOn(): Promise<void> {
    for (let caughtUp = false; !caughtUp;) {
      const page = { after: this.position, filter: this.filter, maxCount: PAGE_SIZE };
      const batch = await this.deps.eventStore.readAll(page);
      this.take(batch);
      ({ caughtUp } = batch);
    }
  }

  private get filter() {
    return { streamPrefixes: [this.deps.streamPrefix] };
  }

  private take(batch: EventBatch): void {
    for (const event of batch.events) this.deps.take(event);
    // A subscription and a read may overtake each other. Each has delivered everything up to its own position, so the
    // greater one counts.
    if (batch.position !== null && (this.position === null || batch.position > this.position)) {
      this.position = batch.position;
    }
    this.lastReadAtMs = this.deps.clock.monotonicMs();
  }
}
