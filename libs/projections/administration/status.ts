import {
  type Clock,
  type EventStore,
  isCompleteVersion,
  type Projection,
  type ProjectionStop,
  type ProjectionVersion,
  type ReadStore,
} from '@app/event-sourcing';
import { type Lag, lagBehind } from '@app/projections/state-metrics';
import { RebuildPace } from './rebuild-pace';
import type { ProjectionUnits } from './units';

/** The status of a projection. A projection that is not partitioned is its own only partition. */
export interface ProjectionStatus {
  readonly name: string;
  readonly partitions: readonly PartitionStatus[];
}

export interface PartitionStatus {
  readonly name: string;
  /** Null until a projector has opened it for the first time. */
  readonly active: ActiveStatus | null;
  readonly building: BuildStatus | null;
}

interface VersionStatus {
  readonly version: number;
  readonly startedAtMs: number;
  /** Null until something was projected. */
  readonly position: bigint | null;
  /** The number of events that this version has processed. */
  readonly events: number;
  /** From 0 to 100, in tenths, by position in the log; null if the log is empty. */
  readonly percent: number | null;
  /** The remaining time; null if it is unknown, nothing is left to do, or the version makes no progress. */
  readonly msLeft: number | null;
  readonly stop: ProjectionStop | null;
}

/** The live version. */
export interface ActiveStatus extends VersionStatus {
  /**
   * It contains everything that was in the log when it was started. Until then, lists are refused and to-do lists wait.
   */
  readonly isComplete: boolean;
  readonly lag: Lag;
}

/** The version that is being built beside it. */
export interface BuildStatus extends VersionStatus {
  readonly cause: 'VERSION_CHANGED' | 'REQUESTED';
}

/** Reads the status of projections from the stores, so it is correct in every process, even one without projectors. */
export class ProjectionStatuses {
  private readonly pace = new RebuildPace();

  constructor(
    private readonly deps: { readonly eventStore: EventStore; readonly readStore: ReadStore; readonly clock: Clock },
    private readonly units: ProjectionUnits,
  ) {}

  /** @throws EventStoreUnavailableError, ReadStoreUnavailableError */
  async all(): Promise<readonly ProjectionStatus[]> {
    return Promise.all(this.units.names.map((name) => this.of(name)));
  }

  /** @throws EventStoreUnavailableError, ReadStoreUnavailableError */
  async of(name: string): Promise<ProjectionStatus> {
    const head = await this.deps.eventStore.head();
    // Partitions at the same position have the same lag.
    const lags = new Map<string, Promise<Lag>>();
    const lagOf = (unit: Projection, version: ProjectionVersion): Promise<Lag> => {
      const place = String(version.checkpoint?.position);
      const lag = lags.get(place) ?? lagBehind(unit, version, this.deps);
      lags.set(place, lag);
      return lag;
    };
    const partitions = this.units.of(name).map(async (unit): Promise<PartitionStatus> => {
      const { active, building } = await this.deps.readStore.versions(unit.name);
      this.pace.keepOnly(unit.name, [active, building]);
      return {
        name: unit.name,
        active: active && this.active(active, await lagOf(unit, active)),
        building: building && this.building(building, active, head),
      };
    });
    return { name, partitions: await Promise.all(partitions) };
  }

  private active(version: ProjectionVersion, lag: Lag): ActiveStatus {
    const isComplete = isCompleteVersion(version);
    const way = isComplete ? { percent: 100, msLeft: null } : this.way(version, version.completeFrom);
    return { ...described(version), ...way, isComplete, lag };
  }

  private building(version: ProjectionVersion, active: ProjectionVersion | null, head: bigint | null): BuildStatus {
    const cause = version.declaredVersion === active?.declaredVersion ? 'REQUESTED' : 'VERSION_CHANGED';
    return { ...described(version), ...this.way(version, head), cause };
  }

  private way({ projection, version, startedAtMs, checkpoint, stop }: ProjectionVersion, target: bigint | null) {
    if (target === null || target <= 0n) return { percent: null, msLeft: null };
    const position = checkpoint?.position ?? 0n;
    const tenths = position >= target ? 1_000n : (position * 1_000n) / target;
    const msLeft = this.pace.msLeft({ projection, version, startedAtMs, position, target }, this.deps.clock);
    return { percent: Number(tenths) / 10, msLeft: stop === null ? msLeft : null };
  }
}

function described({ version, startedAtMs, checkpoint, stop }: ProjectionVersion) {
  return { version, startedAtMs, position: checkpoint?.position ?? null, events: checkpoint?.events ?? 0, stop };
}
