import type { Clock } from '@app/event-sourcing';
import type { ReadinessCheck } from '@app/platform/telemetry/health';
import type { Logger } from '@app/platform/telemetry/logger';
import type { Metrics } from '@app/platform/telemetry/metrics';
import type { Worker } from './worker';

const LOOK_EVERY_MS = 1_000;

/** Reports each step of the wall clock: the operator must know that the machine's time is unreliable. */
export class ClockWatch implements Worker {
  readonly name = 'clock';
  private told = 0;

  constructor(private readonly deps: { readonly clock: Clock; readonly logger: Logger; readonly metrics: Metrics }) {}

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.look();
      await this.deps.clock.sleep(LOOK_EVERY_MS, signal);
    }
  }

  /** The process stays ready: only what is due at a stored time waits. */
  readinessCheck(): ReadinessCheck {
    const { clock } = this.deps;
    const check = () => {
      const behindMs = clock.nowMs() - clock.settledMs();
      if (behindMs <= 0) return null;
      return `it leapt ahead by ${Math.round(behindMs / 1_000)} s and isn't believed yet: nothing expires meanwhile`;
    };
    return { name: 'clock', check, tolerable: true };
  }

  private look(): void {
    const { clock, logger, metrics } = this.deps;
    clock.settledMs();
    const step = clock.lastStep;
    if (step === null || step.count === this.told) return;
    metrics.clockStepped(step.byMs / 1_000, step.count - this.told);
    this.told = step.count;
    logger.warn('the clock was set', { byMs: step.byMs });
  }
}
