import { BuildOrder, type Projection } from '@app/event-sourcing';
import { LagWatch } from '@app/projections/lag-watch';
import { LeasedPartitions, type SharedUnit } from '@app/projections/leased-partitions';
import { paymentsProjection, webhooksToSendList } from '@app/payments/read-models/projection';
import { paymentsToProcessList, processingProjection } from '@app/payments/read-models/processing-projection';
import { ProgressWatch } from '@app/projections/progress-watch';
import { projectionReadiness } from '@app/projections/projection-readiness';
import { ProjectionProgress } from '@app/projections/progress';
import { ProjectionUnits } from '@app/projections/administration/units';
import { ProjectorWorker } from '@app/projections/projector-worker';
import { sampleState } from '@app/projections/state-metrics';
import { skippedEvents } from '@app/projections/skipped-events';
import { wholeName } from '@app/projections/partitions';
import { type ReadinessCheck, ScrapeSampling } from '@app/platform/telemetry';
import { Supervisor, type Worker } from '@app/platform/lifecycle';
import type { INestApplicationContext } from '@nestjs/common';
import type { Infrastructure } from './infrastructure';
import { PROJECTIONS } from './projections';
import { isOneOfMany, type Role } from '@app/platform/configuration';
import { doesWithoutReadStore } from './role';

/** What the operator administers: all projections, by the partitions in which they are built. */
export function projectionUnits({ partitions }: Pick<Infrastructure, 'partitions'>): ProjectionUnits {
  return new ProjectionUnits(PROJECTIONS.flatMap((projection) => partitions.of(projection)));
}

/** What each role reads or works from, and so has to know the progress of. */
const READ_BY: Readonly<Record<Role, readonly { readonly name: string }[]>> = {
  api: PROJECTIONS,
  projector: [],
  processor: [processingProjection],
  webhooks: [paymentsProjection],
};

/** Follows the log into the read models; one for each part of each projection. */
type MakeProjector = (unit: Projection) => ProjectorWorker;

/** What keeps the read models up to date, and what has to be well for that. */
export interface Projecting {
  readonly workers: readonly Worker[];
  readonly checks: readonly ReadinessCheck[];
}

/**
 * A process that does everything is the only one on its read store. One of many shares the work with those that do the same, or
 * sees how far they have come: it needs none of them to be ready.
 */
export function projecting(app: INestApplicationContext, infrastructure: Infrastructure): Projecting {
  const { roles } = infrastructure;
  const progress = app.get(ProjectionProgress);
  if (!roles.includes('projector')) {
    const names = namesOf(infrastructure, roles);
    return { workers: [new ProgressWatch(names, { ...infrastructure, progress })], checks: [] };
  }
  const { units, make } = projectorsOf(infrastructure, progress);
  const checks = [
    progress.readinessCheck('event store'),
    { ...progress.readinessCheck('read store'), tolerable: doesWithoutReadStore(roles) },
  ];
  if (!isOneOfMany(roles)) {
    const { projectionThread: thread } = infrastructure;
    const namesOfUnits = units.map(({ name }) => name);
    const workers = thread === null ? units.map(make) : [thread.worker(progress)];
    return { workers, checks: [...checks, projectionReadiness(progress, infrastructure.clock, namesOfUnits)] };
  }
  const shared = leasedProjectors(infrastructure, progress, units, make);
  const served = projectionReadiness(progress, infrastructure.clock, []);
  return { workers: [shared], checks: [...checks, served, shared.readinessCheck()] };
}

/** Sees when what is read is too far behind, in a process that reads it. */
export function lagWatches(app: INestApplicationContext, infrastructure: Infrastructure): readonly LagWatch[] {
  const read = new Set(infrastructure.roles.flatMap((role) => READ_BY[role]).map(({ name }) => name));
  if (read.size === 0) return [];
  const watched = PROJECTIONS.filter(({ name }) => read.has(name)).map((projection) => ({
    projection,
    parts: infrastructure.partitions.names(projection.name),
  }));
  return [new LagWatch(watched, { ...infrastructure, progress: app.get(ProjectionProgress) })];
}

/** Lags and to-do lists are measured when somebody asks for the metrics. */
export function sampleOnScrape(infrastructure: Infrastructure): void {
  const lists = { payments: paymentsToProcessList, webhooks: webhooksToSendList };
  const sampling = new ScrapeSampling(infrastructure, () =>
    sampleState({ ...infrastructure, projections: PROJECTIONS, lists }),
  );
  infrastructure.metrics.sampleOnScrape(() => sampling.run());
}

function namesOf({ partitions }: Infrastructure, roles: readonly Role[]): readonly string[] {
  const read = new Set(roles.flatMap((role) => READ_BY[role]));
  return [...read].flatMap(({ name }) => partitions.names(name));
}

function projectorsOf(
  infrastructure: Infrastructure,
  progress: ProjectionProgress,
): { readonly units: readonly Projection[]; readonly make: MakeProjector } {
  const { projections: units } = projectionUnits(infrastructure);
  const skipped = (projection: string) => skippedEvents(infrastructure.eventStore, projection);
  const deps = {
    ...infrastructure,
    progress,
    skipped,
    isAlone: !isOneOfMany(infrastructure.roles),
    order: new BuildOrder(infrastructure.clock),
  };
  return { units, make: (unit) => new ProjectorWorker(unit, deps) };
}

/** A projection's partition, for those who declare the same version of it, whatever their release. */
type LeasedProjection = Projection & SharedUnit;

/**
 * Of two releases that declare different versions each has a group of its own, so that the newer one keeps what it builds, and the older
 * one follows what it has built until that is replaced.
 */
function leasedProjectors(
  infrastructure: Infrastructure,
  progress: ProjectionProgress,
  units: readonly Projection[],
  make: MakeProjector,
): LeasedPartitions<LeasedProjection> {
  const leased = units.map((unit): LeasedProjection => {
    const { name, declaredVersion } = unit;
    const group = `projectors/${wholeName(name)}@${declaredVersion}`;
    return { ...unit, lease: `projector/${name}@${declaredVersion}`, group };
  });
  const start = (unit: Projection): Supervisor => {
    const supervisor = new Supervisor(infrastructure);
    supervisor.start([make(unit)]);
    return supervisor;
  };
  return new LeasedPartitions('projectors', leased, {
    ...infrastructure,
    owner: infrastructure.random.uuid(),
    start,
    left: (unit) => progress.left(unit),
  });
}
