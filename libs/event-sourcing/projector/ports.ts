import type { Damage } from '../damaged-history';
import type { Clock } from '../environment';
import type { BuildOrder } from './build-order';
import type { RecordedEvent } from '../event';
import type { EventStore } from '../event-store';
import type { ProjectionVersion, ReadStore } from '../read-store';

/** An event that the projection can't digest. The projection stops there, and no other does. */
export class FailedEventError extends Error {
  constructor(
    readonly projection: string,
    readonly event: RecordedEvent,
    cause: unknown,
  ) {
    super(
      `Projection ${projection} stops at ${event.type} ${event.streamId}@${event.revision} (position ${event.position}): ` +
        (cause instanceof Error ? cause.message : String(cause)),
      { cause },
    );
    this.name = 'FailedEventError';
  }
}

/** Why a version is built: it was begun before, the one that is read is of another declared version, or somebody asked for it. */
export type BuildReason = 'begun before' | 'other version' | 'asked for';

/** Told what becomes of a projection. `version` tells each time how far it has come. */
export interface ProjectorObserver {
  /** This is the version that is read from now on. */
  opened(version: ProjectionVersion): void;
  /** The version that is read has come further. */
  committed(version: ProjectionVersion): void;
  /** How old the oldest event of the batch was when it was committed, in ms; 0 when live and idle. */
  lagging(lagMs: number): void;
  /** The stored checkpoint doesn't belong to this log; the projection starts over. */
  restarted(projection: string, why: string): void;
  /** The read store no longer holds what was built; it is built again at once. */
  lost(projection: string): void;
  /** The version that is read is of a later declared version: this process goes on with it no more, and builds nothing of its own. */
  superseded(version: ProjectionVersion): void;
  /** A version is built beside the one that is read, from its checkpoint on. */
  building(version: ProjectionVersion, why: BuildReason): void;
  /** It was built, and is the one that is read from now on. */
  built(version: ProjectionVersion): void;
  /** It was given up before: somebody has cancelled it, another one took its place, or it is of another log. */
  abandoned(version: ProjectionVersion): void;
  /** The version, read or being built, stands still at an event until somebody has that retried or skipped. */
  stopped(version: ProjectionVersion): void;
  /** A stream holds an event of others: it is passed over, and the projection goes on. Told at least once. */
  damaged(projection: string, damage: Damage): void;
  /** It goes on. */
  resumed(version: ProjectionVersion): void;
}

export interface ProjectorDependencies {
  readonly eventStore: EventStore;
  readonly readStore: ReadStore;
  readonly clock: Clock;
  readonly observer: ProjectorObserver;
  /** Whether no other process projects into this read store: nobody then goes on with what was built for another declared version. */
  readonly isAlone?: boolean;
  /** In which order the projections of the process are built that were lost; all at once when absent. */
  readonly order?: BuildOrder;
  /** Ids of the events that an operator has had skipped. Asked whenever a version is taken up. */
  readonly skipped: (projection: string) => Promise<ReadonlySet<string>>;
}
