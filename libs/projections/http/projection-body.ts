import { isoTime, type ProjectionStop } from '@app/event-sourcing';
import type {
  ActiveStatus,
  BuildStatus,
  PartitionStatus,
  ProjectionStatus,
} from '@app/projections/administration/status';

/** A projection with its partitions, each of which is built and kept up to date independently. */
export interface ProjectionBody {
  readonly name: string;
  readonly partitions: readonly PartitionBody[];
}

interface PartitionBody {
  readonly name: string;
  /** `NEW` before a projector has opened it, `BUILDING` until its first version is complete. */
  readonly status: 'NEW' | 'BUILDING' | 'LIVE' | 'STOPPED';
  readonly active: (VersionBody & LagBody) | null;
  readonly building: (VersionBody & { readonly cause: BuildStatus['cause'] }) | null;
}

interface VersionBody {
  readonly version: number;
  readonly startedAt: string;
  readonly position: string | null;
  readonly events: number;
  readonly percent: number | null;
  readonly secondsLeft: number | null;
  readonly stopped: StopBody | null;
}

interface LagBody {
  readonly lagEvents: number;
  readonly lagSeconds: number;
}

interface StopBody {
  readonly position: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly streamId: string;
  readonly revision: number;
  readonly reason: string;
  readonly since: string;
}

export function presentProjection({ name, partitions }: ProjectionStatus): ProjectionBody {
  return { name, partitions: partitions.map(presentPartition) };
}

function presentPartition({ name, active, building }: PartitionStatus): PartitionBody {
  return {
    name,
    status: statusOf(active),
    active: active && {
      ...presentVersion(active),
      lagEvents: active.lag.events,
      lagSeconds: Math.floor(active.lag.ms / 1_000),
    },
    building: building && { ...presentVersion(building), cause: building.cause },
  };
}

function statusOf(active: ActiveStatus | null): PartitionBody['status'] {
  if (active === null) return 'NEW';
  if (active.stop !== null) return 'STOPPED';
  return active.isComplete ? 'LIVE' : 'BUILDING';
}

/** Positions are strings: they may not fit into a number. */
function presentVersion(status: ActiveStatus | BuildStatus): VersionBody {
  const { version, startedAtMs, position, events, percent, msLeft, stop } = status;
  return {
    version,
    startedAt: isoTime(startedAtMs),
    position: position === null ? null : String(position),
    events,
    percent,
    secondsLeft: msLeft === null ? null : Math.ceil(msLeft / 1_000),
    stopped: stop && presentStop(stop),
  };
}

function presentStop({ position, event, reason, atMs }: ProjectionStop): StopBody {
  const { id: eventId, type: eventType, streamId, revision } = event;
  return { position: String(position), eventId, eventType, streamId, revision, reason, since: isoTime(atMs) };
}
