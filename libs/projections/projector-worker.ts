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

/** The supervisor's pauses grow, and would keep reads old for long after a store is back. */
const RECONNECT_AFTER_MS = 500;

export interface ProjectorWorkerDependencies {
  readonly eventStore: EventStore;
  readonly readStore: ReadStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'projectionLag'>;
  readonly progress: Pick<ProjectionProgress, 'advanced' | 'lost' | 'cutOff'>;
  /** Is told of the streams that hold events of others. */
  readonly damaged: Pick<DamagedStreams, 'report'>;
  /** In which order the process builds what was lost. */
  readonly order?: BuildOrder;
  /** Whether no other process projects into this read store. */
  readonly isAlone?: boolean;
  /** Ids of the events that an operator has had skipped in the projection. */
  readonly skipped: (projection: string) => Promise<ReadonlySet<string>>;
}

const WHY: Readonly<Record<BuildReason, string>> = {
  'begun before': 'it was begun before',
  'other version': 'what is read was built for another declared version',
  'asked for': 'it was asked for',
};

/**
 * Keeps one projection up to date, and builds it anew where that is wanted, connecting again when a store was away. An
 * event that it can't digest stops it, loudly, and no other projection.
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
    const goesOn = () => {
      if (cutOffFrom !== null) logger.info(`projection has the ${cutOffFrom} again`, { projection });
      cutOffFrom = null;
    };
    while (!signal.aborted) {
      try {
        await this.project(goesOn, signal);
      } catch (error) {
        const store = storeAway(error);
        if (store === null) throw error;
        if (signal.aborted) return;
        // Once for each outage, however often it is tried until then.
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
  private async project(goesOn: () => void, signal: AbortSignal): Promise<void> {
    const deps = { ...this.deps, observer: this.observer(goesOn) };
    await runProjector(this.projection, deps, signal);
  }

  private observer(goesOn: () => void): ProjectorObserver {
    const { progress, logger, metrics } = this.deps;
    const { name: projection } = this.projection;
    return {
      opened: (version) => {
        goesOn();
        progress.advanced(version);
      },
      committed: (version) => progress.advanced(version),
      lagging: (lagMs) => metrics.projectionLag(projection, lagMs / 1_000),
      restarted: (name, why) => logger.warn('projection starts over', { projection: name, why }),
      lost: (name) => {
        logger.info('what the read store holds of a projection is looked at anew: it may be lost', {
          projection: name,
        });
        progress.lost(name);
      },
      superseded: ({ version }) =>
        logger.warn('projection was taken over by another release, which goes on with it', { projection, version }),
      building: ({ version, checkpoint, completeFrom }, why) =>
        logger.info('projection is being rebuilt, and read as it was until then', {
          projection,
          version,
          why: WHY[why],
          from: String(checkpoint?.position ?? 0n),
          to: String(completeFrom ?? 0n),
        }),
      built: ({ version, checkpoint }) =>
        logger.info('projection was rebuilt', { projection, version, events: checkpoint?.events ?? 0 }),
      abandoned: ({ version }) => logger.info('the rebuild of a projection was given up', { projection, version }),
      stopped: (version) => this.stopped(version),
      damaged: (_projection, damage) => this.deps.damaged.report(damage),
      resumed: ({ version }) => logger.info('projection goes on', { projection, version }),
    };
  }

  private stopped({ projection, version, stop }: ProjectionVersion): void {
    if (stop === null) return;
    const { logger } = this.deps;
    const { position, event, reason } = stop;
    const fields = { projection, version, position: String(position), streamId: event.streamId, reason };
    logger.error('projection stopped at an event that it cannot digest', fields);
  }
}

/** Which store the error tells of as being away; null where it tells of something else. */
function storeAway(error: unknown): Store | null {
  if (error instanceof EventStoreUnavailableError) return 'event store';
  return error instanceof ReadStoreUnavailableError ? 'read store' : null;
}
