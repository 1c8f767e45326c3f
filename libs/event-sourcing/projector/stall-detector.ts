import type { Clock } from '../environment';
import type { EventStore } from '../event-store';
import { eventsOf, type Projection } from '../projection';
import type { ProjectionVersion } from '../read-store';
import type { ProjectorDependencies } from './ports';

/**
 * How long a version that is another release's to go on with may stand still until it counts as left behind, in ms: longer than a
 * process takes to start again, or a lease to be taken over.
 */
export const ABANDONED_AFTER_MS = 30_000;

/** Watches a version that others write: whether it has stood still for so long that nobody does so any more. */
export class StallDetector {
  private seen = '';
  private sinceMs = 0;

  constructor(private readonly clock: Clock) {}

  /** One that has stopped at an event waits for an operator, and not for its release. */
  isAbandoned(version: ProjectionVersion): boolean {
    const nowMs = this.clock.monotonicMs();
    const seen = `${version.version}@${version.checkpoint?.position ?? ''}`;
    if (seen !== this.seen || version.stop !== null) {
      this.seen = seen;
      this.sinceMs = nowMs;
    }
    return nowMs - this.sinceMs >= ABANDONED_AFTER_MS;
  }

  /** It was for a good reason, and is looked at again only after as long as before. */
  restart(): void {
    this.sinceMs = this.clock.monotonicMs();
  }
}

/** Whether a later release's version is for this one to replace: nobody goes on with it. */
export function isLeftToUs(
  version: ProjectionVersion,
  stall: StallDetector,
  { isAlone = false }: Pick<ProjectorDependencies, 'isAlone'>,
): boolean {
  return isAlone || stall.isAbandoned(version);
}

/** Whether the log holds an event that the version should have taken long ago. @throws EventStoreUnavailableError */
export async function hasMoreToTake(
  projection: Projection,
  { checkpoint }: ProjectionVersion,
  eventStore: EventStore,
): Promise<boolean> {
  const filter = eventsOf(projection);
  const { events } = await eventStore.readAll({ after: checkpoint?.position ?? null, filter, maxCount: 1 });
  return events.length > 0;
}
