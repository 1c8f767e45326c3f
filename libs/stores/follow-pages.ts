import type { Clock } from '@app/event-sourcing';
import { nextTurn } from './next-turn';

/** A run of a log's events. */
export interface FollowedPage {
  readonly events: readonly unknown[];
  /** The last position that was considered. Never before where the page began. */
  readonly position: bigint;
  /** True when nothing more is stored after it. */
  readonly caughtUp: boolean;
}

/** A log as one follower sees it. */
export interface FollowedPages<P extends FollowedPage> {
  /** The next events after a position; null when it goes further back than what is at hand. */
  pageAfter(position: bigint): P | null;
  /** Resolves once there is more to tell than the page does, or `until` is aborted. @throws when the log failed or is closed */
  changedAfter(page: P, until: AbortSignal): Promise<void>;
}

export interface FollowPagesOptions {
  readonly after: bigint;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** How long a live follower that only passes over events of others may go without a page, in ms. */
const PASSED_OVER_MS = 100;

/**
 * Pages of the log from a position on, then live, until the signal is aborted or what comes next is no longer at hand. Nothing
 * is read ahead of the consumer. The first page with `caughtUp` is given even when it is empty; after it, an empty page tells
 * from time to time how far the log was passed over, so that a consumer's checkpoint advances without a commit of its own for
 * each foreign one.
 *
 * @throws what `followed` throws
 */
export async function* followPages<P extends FollowedPage>(
  followed: FollowedPages<P>,
  { after, signal, clock }: FollowPagesOptions,
): AsyncGenerator<P, void, undefined> {
  let given = { position: after, caughtUp: false };
  let passing: ReturnType<Clock['deadline']> | null = null;
  try {
    for (let position = after; !signal.aborted;) {
      const page = followed.pageAfter(position);
      if (page === null) return;
      ({ position } = page);
      const isFurther = position > given.position;
      const isDue = isFurther && (!page.caughtUp || passing?.signal.aborted === true);
      if (page.events.length > 0 || page.caughtUp !== given.caughtUp || isDue) {
        passing?.clear();
        passing = null;
        given = { position, caughtUp: page.caughtUp };
        yield page;
        if (!page.caughtUp) await nextTurn();
        continue;
      }
      if (isFurther) passing ??= clock.deadline(PASSED_OVER_MS, signal);
      await followed.changedAfter(page, passing?.signal ?? signal);
    }
  } finally {
    passing?.clear();
  }
}
