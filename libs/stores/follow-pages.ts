import type { Clock } from '@app/event-sourcing';
import { nextTurn } from './next-turn';

/** A page of a log. */
export interface FollowedPage {
  readonly events: readonly unknown[];
  /** The last position that was considered; never before the start of the page. */
  readonly position: bigint;
  /** True if nothing more is stored after it. */
  readonly caughtUp: boolean;
}

/** A log, as seen by one follower. */
export interface FollowedPages<P extends FollowedPage> {
  /** The next events after a position; null if the position is before what is available. */
  pageAfter(position: bigint): P | null;
  /** Resolves once there is news beyond the page, or `until` is aborted. @throws if the log failed or is closed */
  changedAfter(page: P, until: AbortSignal): Promise<void>;
}

export interface FollowPagesOptions {
  readonly after: bigint;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** How long a live follower may go without a page while only events that do not match are stored, in ms. */
const PASSED_OVER_MS = 100;

/**
 * Pages of the log from a position on, then live, until the signal is aborted or the next events are no longer
 * available. Never reads ahead of the consumer. Yields the first page with `caughtUp` even if it is empty. After that,
 * occasional empty pages report the position reached, so that a consumer's checkpoint advances without one commit per
 * event that does not match.
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
