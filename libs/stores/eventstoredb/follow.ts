import type { Clock, EventBatch, RecordedEvent } from '@app/event-sourcing';
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb';
import { nextTurn } from '@app/stores/next-turn';
import { contentSize, MAX_PAGE_BYTES } from '@app/stores/recent-events';
import { EventStoreDbFailure } from './failures';
import { checkpointIn, eventIn, type StoreFilter, subscriptionRequest } from './read-messages';
import type { Reads } from './reads';

export interface FollowOptions {
  readonly after: bigint | null;
  readonly filter: StoreFilter;
  /** At most this many events in one batch; fewer when they are large. */
  readonly maxBatch: number;
  /** The result of `Reads.head` before this began. */
  readonly headBefore: bigint | null;
  readonly signal: AbortSignal;
}

/** After how many events, wanted or not, the server sends a checkpoint: large, so that pages are few. */
const WINDOW = 1_000;
/** How long events, or the position after skipped events, may wait to be delivered, in ms. */
const PASSED_OVER_MS = 100;

/**
 * Stored events, in batches as full as possible; the last one has `caughtUp`. With `whole`, only full batches and the
 * last.
 */
export async function* catchUp(
  reads: Reads,
  clock: Clock,
  options: FollowOptions & { readonly whole: boolean },
): AsyncGenerator<EventBatch, void, undefined> {
  const { after, headBefore } = options;
  if (headBefore === null || (after !== null && after >= headBefore)) {
    yield { events: [], position: after, caughtUp: true };
    return;
  }
  yield* follow(reads, clock, options, { isLive: false, whole: options.whole });
}

/** New events as soon as they are stored, until `signal` is aborted. */
export function goLive(
  reads: Reads,
  clock: Clock,
  options: FollowOptions,
): AsyncGenerator<EventBatch, void, undefined> {
  return follow(reads, clock, options, { isLive: true, whole: false });
}

interface Mode {
  readonly isLive: boolean;
  readonly whole: boolean;
}

async function* follow(
  reads: Reads,
  clock: Clock,
  options: FollowOptions,
  mode: Mode,
): AsyncGenerator<EventBatch, void, undefined> {
  const { after, filter, maxBatch, signal } = options;
  const inbox = await reads.open(subscriptionRequest({ after, filter, window: WINDOW }), maxBatch, signal);
  const course = new Course(reads, options);
  let given: Pick<EventBatch, 'position' | 'caughtUp'> = { position: after, caughtUp: false };
  let passing: ReturnType<Clock['deadline']> | null = null;
  try {
    while (!signal.aborted) {
      const isEnd = () => !mode.isLive && course.isCaughtUp;
      while (!course.isFull && !isEnd()) {
        const message = inbox.poll();
        if (message === null) break;
        course.take(message);
      }
      const { isFull } = course;
      const isOverdue = !mode.whole && passing?.signal.aborted === true;
      const isLiveNews = mode.isLive && (course.size > 0 || (course.isCaughtUp && !given.caughtUp));
      if (isFull || isEnd() || isOverdue || isLiveNews) {
        passing?.clear();
        passing = null;
        const batch = await course.batch(isFull);
        given = batch;
        yield batch;
        if (isEnd()) return;
        continue;
      }
      if (inbox.isDone()) throw new EventStoreDbFailure('unavailable', 'The server ended the subscription');
      if (!mode.whole && course.hasNews(given)) passing ??= clock.deadline(PASSED_OVER_MS, signal);
      if (passing !== null) await inbox.arrival(passing.signal);
      else if (course.isCaughtUp) await inbox.arrival(signal);
      else await inbox.arrivalAmongOthers(reads.timeoutMs, signal);
      // Waits for more messages that arrived at the same time, so that they join this batch.
      if (mode.isLive) await nextTurn();
    }
  } finally {
    passing?.clear();
    inbox.close();
  }
}

/**
 * Turns a subscription's messages into wanted events and the position considered so far. A position given out is always
 * that of an event: the server's checkpoints may be beyond the last one, and compared with the head they would look
 * like those of another log.
 */
class Course {
  isCaughtUp = false;
  private events: RecordedEvent[] = [];
  private characters = 0;
  private position: bigint | null;
  /** A checkpoint of the server, beyond the last known event. */
  private beyond: bigint | null = null;

  constructor(
    private readonly reads: Reads,
    private readonly options: FollowOptions,
  ) {
    this.position = options.after;
  }

  get size(): number {
    return this.events.length;
  }

  get isFull(): boolean {
    return this.events.length >= this.options.maxBatch || this.characters >= MAX_PAGE_BYTES;
  }

  take(message: ReadResp): void {
    const event = eventIn(message);
    if (event !== null) {
      this.reads.noteHead(event.position);
      this.advance(event.position);
      const wanted = this.options.filter.wanted(event);
      if (wanted !== null) {
        this.events.push(wanted);
        this.characters += contentSize(wanted);
      }
    } else if (message.hasCaughtUp()) {
      // Everything stored before the subscription began has been considered.
      this.isCaughtUp = true;
      this.advance(this.options.headBefore);
    } else if (message.hasFellBehind()) {
      this.isCaughtUp = false;
    } else {
      this.takeCheckpoint(checkpointIn(message));
    }
  }

  /** Whether a batch, even an empty one, would have news. */
  hasNews(given: Pick<EventBatch, 'position' | 'caughtUp'>): boolean {
    const reached = this.beyond ?? this.position;
    return (reached !== null && reached > (given.position ?? -1n)) || (this.isCaughtUp && !given.caughtUp);
  }

  /** Takes what arrived since the last batch; after a full batch there may be more. */
  async batch(isFull: boolean): Promise<EventBatch> {
    if (this.beyond !== null && !isFull) await this.resolveBeyond(this.beyond);
    const { events, position } = this;
    this.events = [];
    this.characters = 0;
    return { events, position, caughtUp: this.isCaughtUp && !isFull };
  }

  private takeCheckpoint(checkpoint: bigint | null): void {
    if (checkpoint === null) return;
    const head = this.reads.lastKnownHead;
    if (head !== null && checkpoint <= head) this.advance(checkpoint);
    else this.beyond = checkpoint;
  }

  private async resolveBeyond(checkpoint: bigint): Promise<void> {
    this.beyond = null;
    const head = (this.reads.lastKnownHead ?? -1n) >= checkpoint ? checkpoint : await this.reads.head();
    this.advance(head !== null && head < checkpoint ? head : checkpoint);
  }

  private advance(position: bigint | null): void {
    if (position !== null && (this.position === null || position > this.position)) this.position = position;
  }
}
