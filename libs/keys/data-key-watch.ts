import { type Clock, EventStoreUnavailableError } from '@app/event-sourcing';
import type { Worker } from '@app/platform/lifecycle';
import type { KeyRing } from './key-ring';

/** How soon every process uses a key that replaces another one; far below the time until that one is retired. */
const REFRESH_EVERY_MS = 10_000;

export interface DataKeyWatchDependencies {
  readonly keyRing: Pick<KeyRing, 'refresh' | 'retireReplaced'>;
  readonly clock: Clock;
  /** Whether it retires replaced keys, or only reads. */
  readonly retires: boolean;
}

/** Keeps the data keys of a process up to date, and retires those that a rotation of the master key has replaced. */
export class DataKeyWatch implements Worker {
  readonly name = 'data keys';

  constructor(private readonly deps: DataKeyWatchDependencies) {}

  async run(signal: AbortSignal): Promise<void> {
    const { keyRing, clock, retires } = this.deps;
    while (!signal.aborted) {
      await clock.sleep(REFRESH_EVERY_MS, signal);
      if (signal.aborted) return;
      try {
        await keyRing.refresh();
        if (retires) await keyRing.retireReplaced();
      } catch (error) {
        if (!(error instanceof EventStoreUnavailableError)) throw error;
      }
    }
  }
}
