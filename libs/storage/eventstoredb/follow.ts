import type { Clock, EventBatch, RecordedEvent } from '@app/kernel';
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb';
import { nextTurn } from '../next-turn';
import { contentSize, MAX_PAGE_BYTES } from '../recent-events';
import { EventStoreDbFailure } from './failures';
import { checkpointIn, eventIn, type StoreFilter, subscriptionRequest } from './read-messages';
import type { Reads } from './reads';

export interface FollowOptions {
  readonly after: bigint | null;
  readonly filter: StoreFilter;
  /** At most this many events in one batch; fewer when they are large. */
  readonly maxBatch: number;
  /** What `Reads.head` gave before this began. */
  readonly headBefore: bigint | null;
  readonly signal: AbortSignal;
}

/** After how many events, wanted or not, the server tells how far it has come: few and large pages. */
const WINDOW = 1_000;
/** How long what has come, or only been passed over, may wait to be told, in ms. */
const PASSED_OVER_MS = 100;

/**
 * What is stored already: batches as full as they can be, the last one with `caughtUp`. With `whole`, a batch is given only
 * when it is full, or the last.
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

/** What is stored from here on, as soon as it is there, until `signal` is aborted. */
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
      // What arrived with it is still to be handed over: it belongs to the same batch.
      if (mode.isLive) await nextTurn();
    }
  } finally {
    passing?.clear();
    inbox.close();
  }
}

/**
 * What the messages of a subscription amount to: the events that are wanted, and how far the log has been considered. A
 * position given out is always that of an event. The server's own checkpoints may lie beyond the last one, on a record that
 * nobody can read, and whoever compared them with the head would find a checkpoint of another log.
 */
class Course {
  isCaughtUp = false;
  private events: RecordedEvent[] = [];
  private characters = 0;
  private position: bigint | null;
  /** A checkpoint of the server, beyond what is known to hold an event. */
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
      // Whatever was stored before the subscription began has been considered.
      this.isCaughtUp = true;
      this.advance(this.options.headBefore);
    } else if (message.hasFellBehind()) {
      this.isCaughtUp = false;
    } else {
      this.takeCheckpoint(checkpointIn(message));
    }
  }

  /** Whether a batch, even an empty one, would tell more than the last one did. */
  hasNews(given: Pick<EventBatch, 'position' | 'caughtUp'>): boolean {
    const reached = this.beyond ?? this.position;
    return (reached !== null && reached > (given.position ?? -1n)) || (this.isCaughtUp && !given.caughtUp);
  }

  /** What has come since the last batch; after a full one there may be more. */
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
