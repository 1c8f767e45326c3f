import type { HealthRegistry } from '@app/platform/telemetry/health';
import { installShutdown, type Shutdown, type ShutdownOptions } from './shutdown';
import type { StopSequence } from './stop-sequence';

export interface OrderlyShutdownOptions extends Pick<ShutdownOptions, 'clock' | 'logger'> {
  readonly health: HealthRegistry;
  readonly stopping: StopSequence;
  /** What else is to be named when the time is over. */
  readonly unfinished?: () => readonly string[];
}

/** When it is to stop, the process first says that it isn't ready any more, and then stops its parts in their order. */
export function installOrderlyShutdown(options: OrderlyShutdownOptions): Shutdown {
  const { clock, logger, health, stopping, unfinished = () => [] } = options;
  return installShutdown({
    clock,
    logger,
    onStop: () => {
      health.beginStopping();
      return stopping.run();
    },
    pending: () => [...stopping.pending(), ...unfinished()],
  });
}
