import { type Clock, EventStoreUnavailableError } from '@app/event-sourcing';
import type { Logger, ReadinessCheck } from '@app/platform/telemetry';
import type { Worker } from '@app/platform/lifecycle';
import type { WitnessedEventStore } from '@app/stores/witnessed-event-store';

const LOOK_EVERY_MS = 1_000;
/** More than one, since a node that is behind the others may lack an event for a moment. */
const LOOKS_UNTIL_GIVEN_UP = 2;

const REASON =
  'the log does not contain events that this process has seen (it went back, or is another one): starting over';

export interface LogWatchDependencies {
  readonly eventStore: Pick<WitnessedEventStore, 'holdsWhatWasSeen' | 'refuse'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Notices that the log went back or is another one: an installation restored from a backup, an empty store at the same
 * address. Then nothing that the process knows is reliable. It refuses all further calls, and `lost` resolves so that
 * it starts over.
 */
export class LogWatch implements Worker {
  readonly name = 'log';
  private readonly found = Promise.withResolvers<null>();
  private isLost = false;

  constructor(private readonly deps: LogWatchDependencies) {}

  /** Resolves once the log is not the one that this process has seen. */
  get lost(): Promise<null> {
    return this.found.promise;
  }

  readinessCheck(): ReadinessCheck {
    return { name: 'log', check: () => (this.isLost ? REASON : null) };
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, eventStore, logger } = this.deps;
    for (let missed = 0; !signal.aborted && !this.isLost;) {
      await clock.sleep(LOOK_EVERY_MS, signal);
      if (signal.aborted) return;
      missed = (await this.isHeld()) ? 0 : missed + 1;
      if (missed < LOOKS_UNTIL_GIVEN_UP) continue;
      this.isLost = true;
      eventStore.refuse(REASON);
      logger.error('the log went back or is another one; starting over from what it holds');
      this.found.resolve(null);
    }
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  }

  /** An unavailable store proves nothing about its log. */
  private async isHeld(): Promise<boolean> {
    try {
      return await this.deps.eventStore.holdsWhatWasSeen();
    } catch (error) {
      if (error instanceof EventStoreUnavailableError) return true;
      throw error;
    }
  }
}
