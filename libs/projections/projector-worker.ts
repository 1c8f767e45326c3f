import {
  type Clock,
  type EventStore,
  PoisonEventError,
  type Projection,
  type ReadStore,
  runProjector,
} from '@app/kernel';
import type { Logger, Metrics, Worker } from '@app/runtime';
import type { ProjectionProgress } from './progress';

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

/** Keeps one projection up to date. An event that it can't digest stops it, loudly, and no other projection. */
export class ProjectorWorker implements Worker {
  readonly name: string;

  constructor(
    private readonly projection: Projection,
    private readonly deps: ProjectorWorkerDependencies,
  ) {
    this.name = `projector:${projection.name}`;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { progress, logger, metrics } = this.deps;
    const projection = this.projection.name;
    const observer = {
      opened: progress.advanced.bind(progress),
      committed: progress.advanced.bind(progress),
      lagging: (lagMs: number) => metrics.projectionLag(projection, lagMs / 1_000),
      restarted: (name: string, why: string) => logger.warn('projection starts over', { projection: name, why }),
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
