import {
  type Clock,
  ContentionError,
  DamagedHistoryError,
  EventStoreUnavailableError,
  isoTime,
} from '@app/event-sourcing';
import type { Worker } from '@app/platform/lifecycle';
import { failureLog, type Logger, type Metrics, type ReadinessCheck } from '@app/platform/telemetry';
import { SealContradictedError } from './last-seal';
import { type Sealer, UnknownSealKeyError } from './sealer';

/** An event is sealed this long after it was stored, at the latest, as long as the stores answer. */
const SEAL_EVERY_MS = 15_000;

export interface SealWorkerDependencies {
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'sealed' | 'unsealed' | 'sealingFailed' | 'forgetSeals'>;
}

/** Seals what is new, again and again. A log that contradicts its last seal is not sealed: that is told, loudly. */
export class SealWorker implements Worker {
  readonly name = 'sealer';
  private problem: string | null = null;
  /** The oldest event that is not sealed was stored at this time, or later; null if all are sealed. */
  private unsealedSinceMs: number | null = null;

  constructor(private readonly deps: SealWorkerDependencies) {}

  /** Payments do without seals, so the process stays ready. */
  readinessCheck(): ReadinessCheck {
    return { name: 'seals', tolerable: true, check: () => this.problem };
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, metrics } = this.deps;
    try {
      while (!signal.aborted) {
        const isMore = await this.seal();
        await clock.sleep(isMore ? 0 : SEAL_EVERY_MS, signal);
      }
    } finally {
      // Another process may seal from now on.
      metrics.forgetSeals();
      this.problem = null;
    }
  }

  private async seal(): Promise<boolean> {
    const { sealer, clock, metrics } = this.deps;
    try {
      const { size, isMore, oldestAtMs, sealedAt } = await sealer.seal();
      this.tellEnd();
      metrics.sealed(size, sealedAt === null ? null : Date.parse(sealedAt) / 1_000);
      this.unsealedSinceMs = isMore ? oldestAtMs : null;
      return isMore;
    } catch (error) {
      this.unsealedSinceMs ??= clock.nowMs();
      this.tellOf(error);
      return false;
    } finally {
      const sinceMs = this.unsealedSinceMs;
      metrics.unsealed(sinceMs === null ? 0 : Math.max(0, clock.nowMs() - sinceMs) / 1_000);
    }
  }

  private tellEnd(): void {
    if (this.problem !== null) this.deps.logger.info('the log agrees with its seals again, and is sealed');
    this.problem = null;
  }

  private tellOf(error: unknown): void {
    const { metrics, clock, logger } = this.deps;
    metrics.sealingFailed();
    // Reported elsewhere.
    if (error instanceof EventStoreUnavailableError || error instanceof ContentionError) return;
    if (!isRefusal(error)) throw error;
    // Without the reason, which names streams: the answer is public.
    this.problem ??= `nothing is sealed since ${isoTime(clock.nowMs())}: the log contradicts its last seal; see the log`;
    failureLog({ clock, logger }).failed(
      { level: 'error', message: 'the history is not sealed', isForeseen: true },
      error,
    );
  }
}

function isRefusal(error: unknown): boolean {
  return (
    error instanceof SealContradictedError ||
    error instanceof UnknownSealKeyError ||
    error instanceof DamagedHistoryError
  );
}
