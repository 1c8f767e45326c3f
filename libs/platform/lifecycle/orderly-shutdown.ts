import type { HealthRegistry } from '@app/platform/telemetry/health';
import { installShutdown, type Shutdown, type ShutdownOptions } from './shutdown';
import type { StopSequence } from './stop-sequence';

export interface OrderlyShutdownOptions extends Pick<ShutdownOptions, 'clock' | 'logger'> {
  readonly health: HealthRegistry;
  readonly stopping: StopSequence;
  /** Other unfinished work to report if the deadline passes. */
  readonly unfinished?: () => readonly string[];
}

/** On shutdown the process first reports that it is not ready, then stops its parts in order. */
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
