import { BuildOrder, type Projection } from '@app/event-sourcing';
import { ComparisonWorker } from '@app/audit/comparison/comparison-worker';
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

/** All projections by partition, for the operator. */
export function projectionUnits({ partitions }: Pick<Infrastructure, 'partitions'>): ProjectionUnits {
  return new ProjectionUnits(PROJECTIONS.flatMap((projection) => partitions.of(projection)));
}

/** The projections that each role reads or works from, whose progress it has to know. */
const READ_BY: Readonly<Record<Role, readonly { readonly name: string }[]>> = {
  api: PROJECTIONS,
  projector: [],
  processor: [processingProjection],
  webhooks: [paymentsProjection],
};

/** Makes the projector of one partition of a projection. */
type MakeProjector = (unit: Projection) => ProjectorWorker;

/** The workers that keep the read models up to date, and their readiness checks. */
export interface Projecting {
  readonly workers: readonly Worker[];
  readonly checks: readonly ReadinessCheck[];
}

/**
 * A process with all roles is the only one on its read store. One of many shares the work with other projectors, or
 * only watches their progress; its own readiness does not depend on them.
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
    const workers = thread === null ? [...units.map(make), comparison(infrastructure)] : [thread.worker(progress)];
    return { workers, checks: [...checks, projectionReadiness(progress, infrastructure.clock, namesOfUnits)] };
  }
  const shared = leasedProjectors(infrastructure, progress, units, make);
  const served = projectionReadiness(progress, infrastructure.clock, []);
  return { workers: [shared, comparison(infrastructure)], checks: [...checks, served, shared.readinessCheck()] };
}

/** Compares all projections with the log, in one process at a time. */
function comparison(infrastructure: Infrastructure): ComparisonWorker {
  return new ComparisonWorker({
    ...infrastructure,
    units: projectionUnits(infrastructure).projections,
    isAlone: infrastructure.configuration.redisUrl === null,
    owner: infrastructure.random.uuid(),
    report: (report) => infrastructure.findings.take(report),
  });
}

/** Watches the lag of the projections that this process reads. */
export function lagWatches(app: INestApplicationContext, infrastructure: Infrastructure): readonly LagWatch[] {
  const read = new Set(infrastructure.roles.flatMap((role) => READ_BY[role]).map(({ name }) => name));
  if (read.size === 0) return [];
  const watched = PROJECTIONS.filter(({ name }) => read.has(name)).map((projection) => ({
    projection,
    parts: infrastructure.partitions.names(projection.name),
  }));
  return [new LagWatch(watched, { ...infrastructure, progress: app.get(ProjectionProgress) })];
}

/** Measures lags and to-do lists whenever the metrics are scraped. */
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

/** A projection's partition, shared by all processes with the same declared version, whatever their release. */
type LeasedProjection = Projection & SharedUnit;

/**
 * Releases with different declared versions have separate groups, so that the newer one keeps what it builds, and the
 * older one keeps its own version up to date until that is replaced.
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
