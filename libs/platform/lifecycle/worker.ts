import type { Clock, Random } from '@app/event-sourcing';
import { assert } from '@app/event-sourcing';

import { errorReason } from '@app/platform/telemetry/error-description';
import type { ReadinessCheck } from '@app/platform/telemetry/health';
import type { Logger } from '@app/platform/telemetry/logger';

const MIN_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 30_000;
/** A worker that ran for this long had recovered: its next failure is a first one again. */
const RECOVERED_AFTER_MS = 60_000;

/** Something that goes on until it is told to stop. */
export interface Worker {
  readonly name: string;
  /**
   * Works until `signal` is aborted, then finishes what it has in hand and resolves. When it rejects, or resolves before
   * that, it is run again after a pause; so it keeps no state that a new run would miss.
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

/** Keeps workers running: one that fails is run again, later and later, and no other notices. */
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

  /** By name. */
  states(): ReadonlyMap<string, WorkerState> {
    return this.#states;
  }

  /** The workers that have not ended: after `stop`, the ones that hang. */
  unfinished(): readonly string[] {
    return [...this.#states].filter(([, state]) => state.status !== 'stopped').map(([name]) => name);
  }

  /** Not ready while a worker waits to be run again. Names the kind of error only, since anybody may read it. */
  readinessCheck(): ReadinessCheck {
    const reasonOf = ([name, state]: [string, WorkerState]): string[] =>
      state.status === 'backing-off' ? [`${name} failed (${state.lastError.name}) and will be run again`] : [];
    return { name: 'workers', check: () => [...this.#states].flatMap(reasonOf).join('; ') || null };
  }

  /** Tells all workers to stop and waits for them, at most `deadlineMs`. Resolves to the names of those that still run. */
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
      // The call sites are those of the first time, mostly for hours.
      logger.error('worker failed', fields, failures === 1 ? lastError : undefined);
      await clock.sleep(retryInMs, signal);
    }
    this.#states.set(worker.name, { status: 'stopped' });
  }

  /** 1–2 s after the first failure, then 2–4 s, at last 15–30 s; spread, so that workers that failed together don't return together. */
  #backoffMs(failures: number): number {
    const longestMs = Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** Math.min(failures, 10));
    return Math.round(longestMs * (0.5 + this.deps.random.fraction() / 2));
  }
}

/** What went wrong, or null when the worker ended because it was asked to. */
async function runOnce(worker: Worker, signal: AbortSignal): Promise<Error | null> {
  try {
    await worker.run(signal);
  } catch (error) {
    return error instanceof Error ? error : new Error('The worker threw something that is not an Error');
  }
  return signal.aborted ? null : new Error('The worker ended without being asked to');
}
