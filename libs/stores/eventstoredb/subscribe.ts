import type { Clock, EventBatch, EventFilter } from '@app/event-sourcing';
import { type FollowedPages, followPages } from '@app/stores/follow-pages';
import type { CatchUpTurns } from './catch-up-turns';
import { catchUp } from './follow';
import type { LiveTail } from './live-tail';
import { StoreFilter } from './read-messages';
import type { Reads } from './reads';
import { LOG_START, type TailPage, type TailRun } from './tail-run';

export interface SubscribeDependencies {
  readonly reads: Reads;
  readonly clock: Clock;
  readonly tail: LiveTail;
  readonly turns: CatchUpTurns;
  /** The prefix of the installation's streams. */
  readonly streamPrefix: string;
}

export interface SubscribeOptions {
  readonly after: bigint | null;
  readonly filter: EventFilter;
  readonly maxBatch: number;
  readonly signal: AbortSignal;
}

/**
 * Catches up with a subscription of its own, then follows the shared tail. A follower whose next event has left the
 * tail catches up again.
 *
 * @throws EventStoreDbFailure when its own subscription or the shared one is lost.
 */
export async function* subscribe(
  deps: SubscribeDependencies,
  options: SubscribeOptions,
): AsyncGenerator<EventBatch, void, undefined> {
  const { signal } = options;
  let position = options.after;
  const noting = async function* (batches: AsyncIterable<EventBatch>) {
    for await (const batch of batches) {
      ({ position } = batch);
      yield batch;
    }
  };
  while (!signal.aborted) {
    yield* noting(stored(deps, { ...options, after: position }));
    if (signal.aborted) return;
    const run = deps.tail.join();
    try {
      await run.begun(signal);
      // The tail started, or is, ahead of this follower; from now on it keeps the events in between.
      while (!signal.aborted && !run.reaches(position ?? LOG_START)) {
        yield* noting(stored(deps, { ...options, after: position }));
      }
      yield* noting(shared(deps, run, { ...options, after: position }));
    } finally {
      run.left();
    }
  }
}

/** Stored events; the last batch has `caughtUp`. */
async function* stored(
  { reads, clock, turns, streamPrefix }: SubscribeDependencies,
  options: SubscribeOptions,
): AsyncGenerator<EventBatch, void, undefined> {
  const filter = new StoreFilter(options.filter, streamPrefix);
  const endTurn = await turns.take(options.signal);
  try {
    const following = { ...options, filter, headBefore: await reads.head(), whole: false };
    for await (const batch of catchUp(reads, clock, following)) yield withoutPrefix(batch, streamPrefix);
  } finally {
    endTurn();
  }
}

/** The tail's events, for as long as it has the next one. */
async function* shared(
  { clock }: SubscribeDependencies,
  run: TailRun,
  { after, filter, maxBatch, signal }: SubscribeOptions,
): AsyncGenerator<EventBatch, void, undefined> {
  // The tail's events already have no prefix.
  const wanted = new StoreFilter(filter, '');
  const followed: FollowedPages<TailPage> = {
    pageAfter: (position) => run.pageAfter(position, wanted, maxBatch),
    changedAfter: (_page, until) => run.changed(until),
  };
  for await (const page of followPages(followed, { after: after ?? LOG_START, signal, clock })) {
    yield page.position === LOG_START ? { ...page, position: null } : page;
  }
}

/** The batch with the port's stream names. */
export function withoutPrefix(batch: EventBatch, { length }: string): EventBatch {
  if (length === 0) return batch;
  return { ...batch, events: batch.events.map((event) => ({ ...event, streamId: event.streamId.slice(length) })) };
}
