import type { Clock } from '@app/kernel';
import type { AllPage, FollowableLog } from './event-log';
import type { LogFilter } from './log-reader';
import { nextTurn } from './read-stream';

export interface FollowOptions {
  readonly after: bigint;
  readonly filter: LogFilter;
  /** At most this many events in one page. */
  readonly maxCount: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** How long a live follower that only passes over events of others may go without a page, in ms. */
const PASSED_OVER_MS = 100;

/**
 * Pages of the log from a position on, then live, until the signal is aborted. Nothing is read ahead of the consumer.
 * The first page with `caughtUp` is given even when it is empty; after it, an empty page tells from time to time how far
 * the log was passed over, so that a consumer's checkpoint advances without a commit of its own for each foreign one.
 *
 * @throws EventStoreUnavailableError when the log fails or is closed.
 */
export async function* follow(log: FollowableLog, options: FollowOptions): AsyncGenerator<AllPage, void, undefined> {
  const { filter, maxCount, signal, clock } = options;
  let position = options.after;
  let given = position;
  let live = false;
  let passing: ReturnType<Clock['deadline']> | null = null;
  try {
    while (!signal.aborted) {
      const page = log.readAllPage({ after: position, filter, maxCount });
      position = page.position;
      const isOverdue = passing?.signal.aborted === true && position > given;
      if (page.events.length > 0 || !page.caughtUp || !live || isOverdue) {
        passing?.clear();
        passing = null;
        live = page.caughtUp;
        given = position;
        yield page;
        if (!page.caughtUp) await nextTurn();
        continue;
      }
      if (position > given) passing ??= clock.deadline(PASSED_OVER_MS, signal);
      await log.committedAfter(position, passing?.signal ?? signal);
    }
  } finally {
    passing?.clear();
  }
}
