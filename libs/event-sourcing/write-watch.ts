import type { Clock } from './environment';

/** The least time between two probes, in ms. */
const PROBE_EVERY_MS = 1_000;

/**
 * Whether a store can be written to, judged by its latest write. A service that is not ready gets no requests, so no
 * write would show that the cause is gone; reading `failing` therefore starts a probe in the background.
 */
export class WriteWatch {
  private isFailing = false;
  private probedAtMs = -Infinity;
  private isProbing = false;

  /** @param probe a durable write that changes nothing; rejects when it fails. */
  constructor(
    private readonly clock: Clock,
    private readonly probe: () => Promise<unknown>,
  ) {}

  succeeded(): void {
    this.isFailing = false;
  }

  failed(): void {
    this.isFailing = true;
  }

  /** Whether the latest write failed. Never waits for the probe. */
  get failing(): boolean {
    const nowMs = this.clock.monotonicMs();
    if (this.isFailing && !this.isProbing && nowMs - this.probedAtMs >= PROBE_EVERY_MS) {
      this.isProbing = true;
      this.probedAtMs = nowMs;
      void this.runProbe();
    }
    return this.isFailing;
  }

  private async runProbe(): Promise<void> {
    try {
      await this.probe();
      this.succeeded();
    } catch {
      // Still failing. The last writer got the error.
    }
    this.isProbing = false;
  }
}
