import type { Clock } from '@app/event-sourcing';
import { failureLog } from './failure-log';
import type { Logger } from './logger';
import type { Metrics } from './metrics';

/** Queries the stores and sets the metrics. */
export type Sampler = () => Promise<void>;

export interface ScrapeSamplingDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The stores are queried at most this often, however often a scrape comes. */
export const MIN_SAMPLING_INTERVAL_MS = 5_000;
/** How long a scrape waits for the stores. */
export const SAMPLING_TIMEOUT_MS = 1_000;

/**
 * Samples on scrape what cannot be measured as it happens, such as the length of a to-do list. The cost is bounded: one
 * sampling at a time, at most every 5 s, and a scrape waits for at most a second. Values that could not be sampled are
 * absent, never stale.
 */
export class ScrapeSampling {
  #startedAtMs = -Infinity;
  #running: Promise<void> | null = null;

  constructor(
    private readonly deps: ScrapeSamplingDependencies,
    private readonly sampler: Sampler,
  ) {}

  /** Never throws; resolves at the latest after the time-out. */
  async run(): Promise<void> {
    const { clock, logger, metrics } = this.deps;
    const isDue = clock.monotonicMs() - this.#startedAtMs >= MIN_SAMPLING_INTERVAL_MS;
    if (this.#running === null) {
      if (!isDue) return;
      this.#startedAtMs = clock.monotonicMs();
      metrics.forgetSampled();
      this.#running = this.sampler()
        .catch((error: unknown) => {
          metrics.forgetSampled();
          metrics.samplingFailed();
          const failure = { level: 'warn', message: 'what scrapes ask for cannot be learnt' } as const;
          failureLog({ clock, logger }).failed(failure, error);
        })
        .finally(() => (this.#running = null));
    }
    const limit = clock.deadline(SAMPLING_TIMEOUT_MS);
    await Promise.race([this.#running, aborted(limit.signal)]);
    limit.clear();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
