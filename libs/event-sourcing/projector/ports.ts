import type { Damage } from '../damaged-history';
import type { Clock } from '../environment';
import type { BuildOrder } from './build-order';
import type { RecordedEvent } from '../event';
import type { EventStore } from '../event-store';
import type { ProjectionVersion, ReadStore } from '../read-store';

/** An event that the projection cannot apply. Only this projection stops there. */
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

/** Why a version is built: its build was started before, the live one has another declared version, or on request. */
export type BuildReason = 'begun before' | 'other version' | 'asked for';

/** Is told what happens to a projection. `version` carries the current checkpoint. */
export interface ProjectorObserver {
  /** This is the live version. */
  opened(version: ProjectionVersion): void;
  /** The live version's checkpoint has advanced. */
  committed(version: ProjectionVersion): void;
  /** The age of the batch's oldest event when it was committed, in ms; 0 when live and idle. */
  lagging(lagMs: number): void;
  /** The stored checkpoint does not belong to this log; the projection starts over. */
  restarted(projection: string, why: string): void;
  /** The read store has lost the read model; it is rebuilt at once. */
  lost(projection: string): void;
  /** The live version has a later declared version: this process stops updating it and builds nothing of its own. */
  superseded(version: ProjectionVersion): void;
  /** A version is being built beside the live one, from its checkpoint on. */
  building(version: ProjectionVersion, why: BuildReason): void;
  /** The version is complete and now live. */
  built(version: ProjectionVersion): void;
  /** The build was abandoned: somebody cancelled it, another one replaced it, or it belongs to another log. */
  abandoned(version: ProjectionVersion): void;
  /** The version, live or being built, is stopped at a failed event until somebody retries or skips it. */
  stopped(version: ProjectionVersion): void;
  /** Others damaged a stream; the projection ignores the event and continues. Called at least once. */
  damaged(projection: string, damage: Damage): void;
  /** A stopped version runs again. */
  resumed(version: ProjectionVersion): void;
}

export interface ProjectorDependencies {
  readonly eventStore: EventStore;
  readonly readStore: ReadStore;
  readonly clock: Clock;
  readonly observer: ProjectorObserver;
  /** Whether no other process uses this read store: then nobody else continues a version of another release. */
  readonly isAlone?: boolean;
  /** The order in which lost projections are rebuilt; all at once when absent. */
  readonly order?: BuildOrder;
  /** Ids of the events that an operator has skipped. Called whenever the projector starts to follow a version. */
  readonly skipped: (projection: string) => Promise<ReadonlySet<string>>;
}
