import {
  type Clock,
  type EventStore,
  EventStoreUnavailableError,
  PoisonEventError,
  type Projection,
  type ProjectionVersion,
  type ReadStore,
  runProjector,
} from '@app/kernel';
import { errorReason, type Logger, type Metrics, type Worker } from '@app/runtime';
import type { ProjectionProgress } from './progress';

/** The supervisor's pauses grow, and would keep reads old for long after the event store is back. */
const RECONNECT_AFTER_MS = 500;

export interface ProjectorWorkerDependencies {
  readonly eventStore: EventStore;
  readonly readStore: ReadStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly progress: ProjectionProgress;
  /** Hash over the code that projects: another one's documents are built anew. */
  readonly codeHash: string;
}

/**
 * Keeps one projection up to date, connecting again when the event store was away. An event that it can't digest stops it,
 * loudly, and no other projection.
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
    let isCutOff = false;
    const goesOn = () => {
      isCutOff = false;
    };
    while (!signal.aborted) {
      try {
        await this.project(goesOn, signal);
      } catch (error) {
        if (!(error instanceof EventStoreUnavailableError)) throw error;
        if (signal.aborted) return;
        // Once for each outage, however often it is tried until then.
        if (!isCutOff) logger.warn('projection waits for the event store', { projection, reason: errorReason(error) });
        isCutOff = true;
        progress.cutOff(projection);
        await clock.sleep(RECONNECT_AFTER_MS, signal);
      }
    }
  }

  /** @throws EventStoreUnavailableError, ReadStoreUnavailableError */
  private async project(goesOn: () => void, signal: AbortSignal): Promise<void> {
    const { progress, logger, metrics } = this.deps;
    const projection = this.projection.name;
    const observer = {
      opened: (version: ProjectionVersion) => {
        goesOn();
        progress.advanced(version);
      },
      committed: progress.advanced.bind(progress),
      lagging: (lagMs: number) => metrics.projectionLag(projection, lagMs / 1_000),
      restarted: (name: string, why: string) => logger.warn('projection starts over', { projection: name, why }),
      lost: progress.lost.bind(progress),
    };
    try {
      await runProjector(this.projection, { ...this.deps, observer }, signal);
    } catch (error) {
      if (!(error instanceof PoisonEventError)) throw error;
      progress.stopped(projection, `it can't digest the event at position ${error.event.position}`);
      logger.error('projection stopped at an event that it cannot digest', { projection }, error);
      await aborted(signal);
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
