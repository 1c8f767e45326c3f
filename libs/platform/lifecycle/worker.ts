import type { Clock, Random } from '@app/event-sourcing';
import { assert } from '@app/event-sourcing';

import { errorReason } from '@app/platform/telemetry/error-description';
import type { ReadinessCheck } from '@app/platform/telemetry/health';
import type { Logger } from '@app/platform/telemetry/logger';

const MIN_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 30_000;
/** A worker that ran this long had recovered, so its next failure counts as the first. */
const RECOVERED_AFTER_MS = 60_000;

/** Runs until it is told to stop. */
export interface Worker {
  readonly name: string;
  /**
   * Works until `signal` is aborted, then finishes what is in progress and resolves. If it rejects, or resolves
   * earlier, it is run again after a pause, so it must not keep state that a new run would need.
   */
  run(signal: AbortSignal): Promise<void>;
}

export type WorkerState =
  | { readonly status: 'running' }
  | { readonly status: 'backing-off'; readonly lastError: Error; readonly failures: number; readonly retryAtMs: number }
  | { readonly status: 'stopped' };

export interface SupervisorDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Keeps workers running: one that fails is restarted with growing pauses, and the others are not affected. */
export class Supervisor {
  readonly #stop = new AbortController();
  readonly #states = new Map<string, WorkerState>();
  readonly #loops: Promise<void>[] = [];

  constructor(private readonly deps: SupervisorDependencies) {}

  start(workers: readonly Worker[]): void {
    assert(!this.#stop.signal.aborted, 'a stopped supervisor starts no workers');
    for (const worker of workers) {
      assert(!this.#states.has(worker.name), `two workers are named ${worker.name}`);
      this.#states.set(worker.name, { status: 'running' });
      this.#loops.push(this.#keepRunning(worker));
    }
  }

  /** By worker name. */
  states(): ReadonlyMap<string, WorkerState> {
    return this.#states;
  }

  /** The workers that have not ended; after `stop`, the ones that hang. */
  unfinished(): readonly string[] {
    return [...this.#states].filter(([, state]) => state.status !== 'stopped').map(([name]) => name);
  }

  /** Not ready while a worker waits for its restart. Names only the error's class, because the answer is public. */
  readinessCheck(): ReadinessCheck {
    const reasonOf = ([name, state]: [string, WorkerState]): string[] =>
      state.status === 'backing-off' ? [`${name} failed (${state.lastError.name}) and will be run again`] : [];
    return { name: 'workers', check: () => [...this.#states].flatMap(reasonOf).join('; ') || null };
  }

  /** Stops all workers and waits for at most `deadlineMs`. Resolves to the names of those still running. */
  async stop(deadlineMs: number): Promise<readonly string[]> {
    this.#stop.abort();
    const done = new AbortController();
    const ended = Promise.all(this.#loops).then(() => done.abort());
    await Promise.race([ended, this.deps.clock.sleep(deadlineMs, done.signal)]);
    return this.unfinished();
  }

  async #keepRunning(worker: Worker): Promise<void> {
    const { clock, logger } = this.deps;
    const { signal } = this.#stop;
    for (let failures = 0; !signal.aborted;) {
      this.#states.set(worker.name, { status: 'running' });
      const startedMs = clock.monotonicMs();
      const lastError = await runOnce(worker, signal);
      if (lastError !== null && signal.aborted)
        logger.warn('worker failed while stopping', { worker: worker.name }, lastError);
      if (lastError === null || signal.aborted) break;
      failures = clock.monotonicMs() - startedMs >= RECOVERED_AFTER_MS ? 1 : failures + 1;
      const retryInMs = this.#backoffMs(failures);
      const retryAtMs = clock.nowMs() + retryInMs;
      this.#states.set(worker.name, { status: 'backing-off', lastError, failures, retryAtMs });
      const fields = { worker: worker.name, failures, retryInMs, reason: errorReason(lastError) };
      // A repeated failure usually has the same call sites as the first.
      logger.error('worker failed', fields, failures === 1 ? lastError : undefined);
      await clock.sleep(retryInMs, signal);
    }
    this.#states.set(worker.name, { status: 'stopped' });
  }

  /**
   * 1–2 s after the first failure, then 2–4 s, up to 15–30 s; randomised, so that workers that failed together do not
   * restart together.
   */
  #backoffMs(failures: number): number {
    const longestMs = Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** Math.min(failures, 10));
    return Math.round(longestMs * (0.5 + this.deps.random.fraction() / 2));
  }
}

/** The failure, or null if the worker ended because it was asked to. */
async function runOnce(worker: Worker, signal: AbortSignal): Promise<Error | null> {
  try {
    await worker.run(signal);
  } catch (error) {
    return error instanceof Error ? error : new Error('The worker threw something that is not an Error');
  }
  return signal.aborted ? null : new Error('The worker ended without being asked to');
}
