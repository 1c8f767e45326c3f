import {
  type BuildOrder,
  type BuildReason,
  type Clock,
  type EventStore,
  EventStoreUnavailableError,
  type Projection,
  type ProjectorObserver,
  type ProjectionVersion,
  type ReadStore,
  ReadStoreUnavailableError,
  runProjector,
} from '@app/event-sourcing';
import { type DamagedStreams, errorReason, type Logger, type Metrics } from '@app/platform/telemetry';
import { type Worker } from '@app/platform/lifecycle';
import type { ProjectionProgress, Store } from './progress';

/** Fixed and short: the supervisor's growing pauses would keep reads outdated long after a store is back. */
const RECONNECT_AFTER_MS = 500;

export interface ProjectorWorkerDependencies {
  readonly eventStore: EventStore;
  readonly readStore: ReadStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'projectionLag'>;
  readonly progress: Pick<ProjectionProgress, 'advanced' | 'lost' | 'cutOff'>;
  /** Is told of damaged streams. */
  readonly damaged: Pick<DamagedStreams, 'report'>;
  /** The order in which the process rebuilds lost projections. */
  readonly order?: BuildOrder;
  /** Whether no other process uses this read store. */
  readonly isAlone?: boolean;
  /** Ids of the events that an operator has skipped in the projection. */
  readonly skipped: (projection: string) => Promise<ReadonlySet<string>>;
}

const WHY: Readonly<Record<BuildReason, string>> = {
  'begun before': 'the build was started before',
  'other version': 'the live version has another declared version',
  'asked for': 'a rebuild was requested',
};

/**
 * Keeps one projection up to date, rebuilds it when needed, and reconnects after a store was unavailable. An
 * event that it cannot apply stops this projection only, and is logged as an error.
 */
export class ProjectorWorker implements Worker {
  readonly name: string;

  constructor(
    private readonly projection: Projection,
    private readonly deps: ProjectorWorkerDependencies,
  ) {
    this.name = `projector:${projection.name}`;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { progress, logger, clock } = this.deps;
    const projection = this.projection.name;
    let cutOffFrom: Store | null = null;
    const reconnected = () => {
      if (cutOffFrom !== null) logger.info(`projection is connected to the ${cutOffFrom} again`, { projection });
      cutOffFrom = null;
    };
    while (!signal.aborted) {
      try {
        await this.project(reconnected, signal);
      } catch (error) {
        const store = storeAway(error);
        if (store === null) throw error;
        if (signal.aborted) return;
        // Once per outage, however often it is retried.
        if (cutOffFrom !== store) {
          logger.warn(`projection waits for the ${store}`, { projection, reason: errorReason(error) });
        }
        cutOffFrom = store;
        progress.cutOff(projection, store);
        await clock.sleep(RECONNECT_AFTER_MS, signal);
      }
    }
  }

  /** @throws EventStoreUnavailableError, ReadStoreUnavailableError */
  private async project(reconnected: () => void, signal: AbortSignal): Promise<void> {
    const deps = { ...this.deps, observer: this.observer(reconnected) };
    await runProjector(this.projection, deps, signal);
  }

  private observer(reconnected: () => void): ProjectorObserver {
    const { progress, logger, metrics } = this.deps;
    const { name: projection } = this.projection;
    return {
      opened: (version) => {
        reconnected();
        progress.advanced(version);
      },
      committed: (version) => progress.advanced(version),
      lagging: (lagMs) => metrics.projectionLag(projection, lagMs / 1_000),
      restarted: (name, why) => logger.warn('projection starts over', { projection: name, why }),
      lost: (name) => {
        logger.info('the read store may have lost a projection and is checked', {
          projection: name,
        });
        progress.lost(name);
      },
      superseded: ({ version }) => logger.warn('projection was taken over by a newer release', { projection, version }),
      building: ({ version, checkpoint, completeFrom }, why) =>
        logger.info('projection is being rebuilt beside its live version', {
          projection,
          version,
          why: WHY[why],
          from: String(checkpoint?.position ?? 0n),
          to: String(completeFrom ?? 0n),
        }),
      built: ({ version, checkpoint }) =>
        logger.info('projection was rebuilt', { projection, version, events: checkpoint?.events ?? 0 }),
      abandoned: ({ version }) => logger.info('the rebuild of a projection was abandoned', { projection, version }),
      stopped: (version) => this.stopped(version),
      damaged: (_projection, damage) => this.deps.damaged.report(damage),
      resumed: ({ version }) => logger.info('projection was resumed', { projection, version }),
    };
  }

  private stopped({ projection, version, stop }: ProjectionVersion): void {
    if (stop === null) return;
    const { logger } = this.deps;
    const { position, event, reason } = stop;
    const fields = { projection, version, position: String(position), streamId: event.streamId, reason };
    logger.error('projection stopped at an event that it cannot apply', fields);
  }
}

/** The store that the error reports as unavailable; null for other errors. */
function storeAway(error: unknown): Store | null {
  if (error instanceof EventStoreUnavailableError) return 'event store';
  return error instanceof ReadStoreUnavailableError ? 'read store' : null;
}
