import type { Clock, EventBatch, EventFilter, RecordedEvent } from '@app/event-sourcing';
import { CommitSignal } from '@app/stores/commit-signal';
import type { FollowedPage } from '@app/stores/follow-pages';
import { contentSize, RECENT_EVENTS, RecentEvents } from '@app/stores/recent-events';
import { EventStoreDbFailure } from './failures';
import { catchUp, goLive } from './follow';
import { StoreFilter } from './read-messages';
import type { Reads } from './reads';

/** The most events per push. */
const MAX_PUSH = 500;
/** How long nothing may arrive although the log is known to have grown, in ms. */
const QUIET_MS = 20;
/** After how long without news to read the log's head, in ms: nothing else in this process may do so. */
const LOOK_AFTER_MS = 500;
/** The position before the log's first event. */
export const LOG_START = -1n;

export interface TailDependencies {
  readonly reads: Reads;
  readonly clock: Clock;
  /** The prefix of the installation's streams. */
  readonly streamPrefix: string;
  /** How many of the latest events are kept. Default: 8,192. */
  readonly maxEvents?: number | undefined;
}

export interface TailPage extends FollowedPage {
  readonly events: readonly RecordedEvent[];
}

/** One run of the shared subscription, from its start to its end. */
export class TailRun {
  private readonly abort = new AbortController();
  private readonly changes = new CommitSignal();
  /** Null before the run has begun. */
  private recent: RecentEvents<RecordedEvent> | null = null;
  private position = LOG_START;
  private isLive = false;
  private followers = 0;
  private failure: Error | null = null;

  constructor(private readonly deps: TailDependencies) {
    void this.pump();
  }

  /** Whether it has ended, so that nobody can follow it. */
  get isOver(): boolean {
    return this.failure !== null || this.abort.signal.aborted;
  }

  joined(): void {
    this.followers += 1;
  }

  /** The last follower to leave ends the subscription. */
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

  /** Resolves once its start position is known, or `signal` is aborted. @throws EventStoreDbFailure */
  async begun(signal: AbortSignal): Promise<void> {
    while (this.recent === null && !signal.aborted) await this.changed(signal);
  }

  /** Whether the tail has everything after the position. */
  reaches(position: bigint): boolean {
    return this.recent?.reaches(position) === true;
  }

  /** The next events after a position; null if the position is before the tail. */
  pageAfter(after: bigint, filter: StoreFilter, maxCount: number): TailPage | null {
    const page = this.recent?.pageAfter(after, (event) => filter.matches(event), maxCount) ?? null;
    if (page === null) return null;
    const { events, isLast } = page;
    if (!isLast) return { events, position: page.position, caughtUp: false };
    return { events, position: after > this.position ? after : this.position, caughtUp: this.isLive };
  }

  /**
   * Resolves with the next news, or once `signal` is aborted. @throws EventStoreDbFailure when the subscription is over
   */
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
      this.recent = new RecentEvents<RecordedEvent>(maxEvents, contentSize, this.position);
      this.changes.committed();
      const filter = new StoreFilter(EVERYTHING, streamPrefix);
      const following = { after: head, filter, maxBatch: MAX_PUSH, headBefore: head, signal };
      const passingOver = this.passOver(filter);
      for await (const batch of goLive(reads, clock, following)) this.push(batch);
      await passingOver;
    } catch (error) {
      this.fail(error as Error);
    }
  }

  private push({ events, position, caughtUp }: EventBatch): void {
    this.recent?.add(events.map((event) => withoutPrefix(event, this.deps.streamPrefix)));
    this.isLive = caughtUp;
    this.advance(position);
  }

  /**
   * The subscription seldom reports skipped events of others. If the log has grown but nothing arrives, this reads
   * the events in between: a caller that waits for the log's head may be waiting for such an event.
   */
  private async passOver(filter: StoreFilter): Promise<void> {
    const { reads, clock } = this.deps;
    const { signal } = this.abort;
    try {
      for (let seen = this.position; !signal.aborted; seen = this.position) {
        await this.grownBeyond(seen);
        await clock.sleep(QUIET_MS, signal);
        if (signal.aborted || this.position > seen) continue;
        const after = seen === LOG_START ? null : seen;
        const following = { after, filter, maxBatch: 1, headBefore: reads.lastKnownHead, signal, whole: false };
        for await (const { events, position } of catchUp(reads, clock, following)) {
          if (events.length > 0) {
            await this.movedFrom(seen);
            break;
          }
          this.advance(position);
        }
      }
    } catch (error) {
      this.fail(error as Error);
    }
  }

  /** Resolves once the log is known to have an event after the position, or this run is over. */
  private async grownBeyond(position: bigint): Promise<void> {
    const { reads, clock } = this.deps;
    const { signal } = this.abort;
    while (!signal.aborted && (reads.lastKnownHead ?? LOG_START) <= position) {
      const due = clock.deadline(LOOK_AFTER_MS, signal);
      await reads.headAfter(position, due.signal);
      due.clear();
      // A failure is ignored here: the subscription itself notices that the store is unavailable.
      if (due.signal.aborted && !signal.aborted) await reads.head().catch(() => null);
    }
  }

  /** Waits for the found event to arrive through the subscription too. @throws EventStoreDbFailure if it does not */
  private async movedFrom(position: bigint): Promise<void> {
    const { reads, clock } = this.deps;
    const { signal, clear } = clock.deadline(reads.timeoutMs, this.abort.signal);
    try {
      while (!signal.aborted && this.position === position) await this.changed(signal);
    } finally {
      clear();
    }
    if (this.position > position || this.abort.signal.aborted) return;
    throw new EventStoreDbFailure(
      'deadline',
      `The subscription did not deliver an event that was stored ${reads.timeoutMs} ms ago`,
    );
  }

  private advance(position: bigint | null): void {
    if (position !== null && position > this.position) this.position = position;
    this.changes.committed();
  }
}

const EVERYTHING: EventFilter = { streamPrefixes: [''] };

function withoutPrefix(event: RecordedEvent, { length }: string): RecordedEvent {
  return Object.freeze({ ...event, streamId: event.streamId.slice(length) });
}
