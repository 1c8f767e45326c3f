import { type Clock, type ProjectionVersion, type ReadStore, ReadStoreUnavailableError } from '@app/event-sourcing';
import { errorReason, type Logger } from '@app/platform/telemetry';
import { WakeSignal, type Worker } from '@app/platform/lifecycle';
import type { ProjectionProgress } from './progress';

/** How long it may take at most until a change is seen of which no hint came. */
const LOOK_EVERY_MS = 250;

export interface ProgressWatchDependencies {
  readonly readStore: ReadStore;
  readonly progress: ProjectionProgress;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Sees how far projections come that other processes build. While the read store can't be asked, nothing is known of them:
 * lists ask the store themselves, and are refused as it is away, single reads look into the log, and nothing is shown that may
 * be older than anybody knows.
 */
export class ProgressWatch implements Worker {
  readonly name = 'progress';
  private readonly wakeSignal: WakeSignal;
  private readonly hinted = new Set<string>();
  /** Null where it was found that there is none. */
  private readonly seen = new Map<string, ProjectionVersion | null>();
  private isAway = false;

  constructor(
    private readonly projections: readonly string[],
    private readonly deps: ProgressWatchDependencies,
  ) {
    this.wakeSignal = new WakeSignal(deps.clock);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { readStore, clock } = this.deps;
    const watched = new Set(this.projections);
    const stopHints = readStore.onAdvanced((projection) => {
      if (!watched.has(projection)) return;
      this.hinted.add(projection);
      this.wakeSignal.wake();
    });
    const stopLosses = readStore.onLost(() => this.forget());
    try {
      for (let nextLookMs = clock.monotonicMs(); !signal.aborted;) {
        const isTime = clock.monotonicMs() >= nextLookMs;
        const projections = isTime ? this.projections : [...this.hinted];
        this.hinted.clear();
        if (isTime) nextLookMs = clock.monotonicMs() + LOOK_EVERY_MS;
        await this.look(projections);
        await this.wakeSignal.wait(Math.max(nextLookMs - clock.monotonicMs(), 1), signal);
      }
    } finally {
      stopHints();
      stopLosses();
    }
  }

  private async look(projections: readonly string[]): Promise<void> {
    const { readStore, logger } = this.deps;
    try {
      const versions = await Promise.all(projections.map((projection) => readStore.versions(projection)));
      for (const [index, projection] of projections.entries()) this.saw(projection, versions[index]?.active ?? null);
      this.isAway = false;
    } catch (error) {
      if (!(error instanceof ReadStoreUnavailableError)) throw error;
      this.loseSight();
      // Once for each outage, however often it is tried until then.
      if (!this.isAway) logger.warn('the read models cannot be asked for', { reason: errorReason(error) });
      this.isAway = true;
    }
  }

  private saw(projection: string, version: ProjectionVersion | null): void {
    const before = this.seen.get(projection);
    if (version === null) this.lose(projection);
    else if (!before || hasChanged(before, version)) {
      this.seen.set(projection, version);
      this.deps.progress.advanced(version);
    }
  }

  private forget(): void {
    for (const projection of this.projections) {
      this.lose(projection);
      this.hinted.add(projection);
    }
    this.wakeSignal.wake();
  }

  /** What there is may be as it was: that is told by the first look that gets an answer. */
  private loseSight(): void {
    for (const projection of this.projections) {
      this.seen.delete(projection);
      if (!this.deps.progress.isOutOfSight(projection)) this.deps.progress.outOfSight(projection);
    }
  }

  private lose(projection: string): void {
    if (this.seen.get(projection) === null) return;
    this.seen.set(projection, null);
    this.deps.progress.lost(projection);
  }
}

function hasChanged(before: ProjectionVersion, now: ProjectionVersion): boolean {
  return (
    before.version !== now.version ||
    before.checkpoint?.position !== now.checkpoint?.position ||
    before.stop?.position !== now.stop?.position ||
    before.completeFrom !== now.completeFrom
  );
}
