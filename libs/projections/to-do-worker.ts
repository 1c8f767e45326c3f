import {
  type ClaimedItem,
  type Clock,
  type CollectionName,
  EventStoreUnavailableError,
  type ReadStore,
  ReadStoreUnavailableError,
  runWorkList,
  type WorkListOptions,
  type WorkSlots,
} from '@app/kernel';
import { errorReason, type Logger, Nudge, type Worker } from '@app/runtime';
import type { ProjectionProgress } from './progress';

/** The supervisor's pauses grow, and would leave what is due undone for long after the read store is back. */
const RECONNECT_AFTER_MS = 500;

/** Failures that lie further apart than this are told of as two outages. */
const OUTAGE_OVER_MS = 10_000;

export interface ToDoWorkerDependencies {
  readonly readStore: ReadStore;
  readonly progress: ProjectionProgress;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Unique for each running process. */
  readonly owner: string;
}

export interface ToDoWorkerOptions {
  readonly name: string;
  readonly list: CollectionName;
  /** Items worked on at the same time. */
  readonly concurrency: number;
  /** At shutdown, what is in hand may take this long before it is cut off. */
  readonly drainMs: number;
  /** How the free places are shared out; by default the longest due items take them. */
  readonly share?: (free: number, nowMs: number) => Promise<readonly WorkSlots[]>;
  /** Works on one item; answers with the position of the last event it appended, or null. `hurry` cuts it off. */
  readonly perform: (item: ClaimedItem, hurry: AbortSignal) => Promise<bigint | null>;
}

/**
 * Works a projected to-do list off: woken by every commit of its projection, and never before the list is complete. Begins again
 * when the read store was away.
 */
export class ToDoWorker implements Worker {
  readonly name: string;
  private readonly nudge: Nudge;

  constructor(
    private readonly deps: ToDoWorkerDependencies,
    private readonly options: ToDoWorkerOptions,
  ) {
    this.name = options.name;
    this.nudge = new Nudge(deps.clock);
    deps.progress.onAdvanced((projection) => {
      if (projection === options.list.projection) this.nudge.wake();
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { readStore, progress, clock, logger, owner } = this.deps;
    const { name, list, drainMs } = this.options;
    const ended = new AbortController();
    const hurry = new AbortController();
    const drain = async () => {
      await clock.sleep(drainMs, ended.signal);
      hurry.abort();
    };
    signal.addEventListener('abort', () => void drain(), { once: true });
    const wiring = {
      readStore,
      clock,
      owner,
      isComplete: () => progress.isComplete(list.projection),
      wait: (ms: number, stop: AbortSignal) => this.nudge.wait(ms, stop),
      wake: () => this.nudge.wake(),
      reached: async (position: bigint, limitMs: number) => {
        const limit = clock.deadline(limitMs);
        await progress.reached(list.projection, position, limit.signal);
        limit.clear();
      },
      failed: (item: ClaimedItem, error: unknown) => {
        const fields = { worker: name, item: item.key };
        // A store being away is what the lease is for; of anything else the call sites are wanted.
        if (error instanceof EventStoreUnavailableError || error instanceof ReadStoreUnavailableError) {
          logger.warn('an item could not be worked on', { ...fields, reason: errorReason(error) });
        } else {
          logger.error('an item could not be worked on', fields, error);
        }
      },
    };
    try {
      await this.throughOutages({ ...this.options, ...wiring }, signal, hurry.signal);
    } finally {
      ended.abort();
    }
  }

  private async throughOutages(options: WorkListOptions, signal: AbortSignal, hurry: AbortSignal): Promise<void> {
    const { clock, logger } = this.deps;
    let failedAtMs = -Infinity;
    while (!signal.aborted) {
      try {
        await runWorkList(options, signal, hurry);
      } catch (error) {
        if (!(error instanceof ReadStoreUnavailableError)) throw error;
        if (clock.nowMs() - failedAtMs > OUTAGE_OVER_MS && !signal.aborted) {
          logger.warn('due work waits for the read store', { worker: this.name, reason: errorReason(error) });
        }
        failedAtMs = clock.nowMs();
        await clock.sleep(RECONNECT_AFTER_MS, signal);
      }
    }
  }
}
