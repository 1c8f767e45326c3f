import type { Clock } from '../environment';
import type { EventStore } from '../event-store';
import { eventsOf, type Projection } from '../projection';
import type { ProjectionVersion } from '../read-store';
import type { ProjectorDependencies } from './ports';

/**
 * How long another release's version may make no progress until it counts as abandoned, in ms: longer than a process
 * takes to restart, and than the takeover of a lease.
 */
export const ABANDONED_AFTER_MS = 30_000;

/** Watches a version that others write, and tells whether it has made no progress for so long that it is abandoned. */
export class StallDetector {
  private seen = '';
  private sinceMs = 0;

  constructor(private readonly clock: Clock) {}

  /** A version that is stopped at a failed event waits for an operator and does not count as abandoned. */
  isAbandoned(version: ProjectionVersion): boolean {
    const nowMs = this.clock.monotonicMs();
    const seen = `${version.version}@${version.checkpoint?.position ?? ''}`;
    if (seen !== this.seen || version.stop !== null) {
      this.seen = seen;
      this.sinceMs = nowMs;
    }
    return nowMs - this.sinceMs >= ABANDONED_AFTER_MS;
  }

  /** Starts the time over, after the caller has handled an abandoned version or found that nothing waits for it. */
  restart(): void {
    this.sinceMs = this.clock.monotonicMs();
  }
}

/** Whether this release may replace a newer release's version, because nobody continues it. */
export function isLeftToUs(
  version: ProjectionVersion,
  stall: StallDetector,
  { isAlone = false }: Pick<ProjectorDependencies, 'isAlone'>,
): boolean {
  return isAlone || stall.isAbandoned(version);
}

/** Whether the log holds events after the version's checkpoint. @throws EventStoreUnavailableError */
export async function hasMoreToTake(
  projection: Projection,
  { checkpoint }: ProjectionVersion,
  eventStore: EventStore,
): Promise<boolean> {
  const filter = eventsOf(projection);
  const { events } = await eventStore.readAll({ after: checkpoint?.position ?? null, filter, maxCount: 1 });
  return events.length > 0;
}
