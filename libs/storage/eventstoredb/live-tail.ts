import type { Clock, EventBatch, EventFilter, RecordedEvent } from '@app/kernel';
import { CommitSignal } from '../commit-signal';
import type { FollowedPage } from '../follow-pages';
import { RECENT_EVENTS, RecentEvents } from '../recent-events';
import { goLive } from './follow';
import { StoreFilter } from './read-messages';
import type { Reads } from './reads';

/** Events that one push may bring. */
const MAX_PUSH = 500;
/** Stands for the place before the log's first event. */
export const LOG_START = -1n;

export interface LiveTailDependencies {
  readonly reads: Reads;
  readonly clock: Clock;
  /** What the names of the installation's streams begin with. */
  readonly streamPrefix: string;
  /** How many of the latest events are kept; 8,192 unless said otherwise. */
  readonly maxEvents?: number | undefined;
}

export interface TailPage extends FollowedPage {
  readonly events: readonly RecordedEvent[];
}

/**
 * One live subscription to the installation's events for all who follow the log in this process: each event travels once, is
 * decoded once, and is the same frozen object for everybody. It runs while somebody follows, keeps the latest events for those
 * who are slower, and waits for nobody.
 */
export class LiveTail {
  private run: TailRun | null = null;

  constructor(private readonly deps: LiveTailDependencies) {}

  /** Begins the subscription when nobody follows yet. Whoever joins has to leave. */
  join(): TailRun {
    if (this.run === null || this.run.isOver) this.run = new TailRun(this.deps);
    this.run.joined();
    return this.run;
  }

  /** Ends the subscription; all who follow it get the failure. */
  close(failure: Error): void {
    this.run?.fail(failure);
  }
}

/** From the opening of the subscription to its end. */
export class TailRun {
  private readonly abort = new AbortController();
  private readonly changes = new CommitSignal();
  /** Null before it has begun. */
  private recent: RecentEvents<RecordedEvent> | null = null;
  private position = LOG_START;
  private isLive = false;
  private followers = 0;
  private failure: Error | null = null;

  constructor(private readonly deps: LiveTailDependencies) {
    void this.pump();
  }

  /** Whether nobody can follow it any more. */
  get isOver(): boolean {
    return this.failure !== null || this.abort.signal.aborted;
  }

  joined(): void {
    this.followers += 1;
  }

  /** The last one ends the subscription. */
  left(): void {
    this.followers -= 1;
    if (this.followers === 0) this.abort.abort();
  }

  fail(failure: Error): void {
    if (this.isOver) return;
    this.failure = failure;
    this.abort.abort();
    this.changes.fail(failure);
  }

  /** Resolves once it is known where it begins, or `signal` is aborted. @throws EventStoreDbFailure */
  async begun(signal: AbortSignal): Promise<void> {
    while (this.recent === null && !signal.aborted) await this.changed(signal);
  }

  /** Whether everything after the position comes from here. */
  reaches(position: bigint): boolean {
    return this.recent?.reaches(position) === true;
  }

  /** The next events after a position; null when they go further back than what is kept. */
  pageAfter(after: bigint, filter: StoreFilter, maxCount: number): TailPage | null {
    const page = this.recent?.pageAfter(after, (event) => filter.matches(event), maxCount) ?? null;
    if (page === null) return null;
    const { events, isLast } = page;
    if (!isLast) return { events, position: page.position, caughtUp: false };
    return { events, position: after > this.position ? after : this.position, caughtUp: this.isLive };
  }

  /** Resolves with the next news, or once `signal` is aborted. @throws EventStoreDbFailure when the subscription is over */
  async changed(signal: AbortSignal): Promise<void> {
    if (this.failure !== null) throw this.failure;
    await this.changes.wait(signal);
  }

  private async pump(): Promise<void> {
    const { reads, clock, streamPrefix, maxEvents = RECENT_EVENTS } = this.deps;
    const { signal } = this.abort;
    try {
      const head = await reads.head();
      this.position = head ?? LOG_START;
      this.recent = new RecentEvents(maxEvents, contentSize, this.position);
      this.changes.committed();
      const filter = new StoreFilter(EVERYTHING, streamPrefix);
      const following = { after: head, filter, maxBatch: MAX_PUSH, headBefore: head, signal };
      for await (const batch of goLive(reads, clock, following)) this.push(batch);
    } catch (error) {
      this.fail(error as Error);
    }
  }

  private push({ events, position, caughtUp }: EventBatch): void {
    this.recent?.add(events.map((event) => withoutPrefix(event, this.deps.streamPrefix)));
    if (position !== null) this.position = position;
    this.isLive = caughtUp;
    this.changes.committed();
  }
}

const EVERYTHING: EventFilter = { streamPrefixes: [''] };

function withoutPrefix(event: RecordedEvent, { length }: string): RecordedEvent {
  return Object.freeze({ ...event, streamId: event.streamId.slice(length) });
}

function contentSize({ data, metadata }: RecordedEvent): number {
  return data.length + metadata.length;
}
