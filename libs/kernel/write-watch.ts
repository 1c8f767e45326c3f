import type { Clock } from './environment';

/** A probe that failed is not repeated sooner than this, in ms. */
const PROBE_EVERY_MS = 1_000;

/**
 * Whether a store can be written to, told from the outcome of its latest write. A service that is said to be unready gets no
 * requests, so no write of theirs would ever show that the cause has gone: being asked makes it probe, in the background.
 */
export class WriteWatch {
  private isFailing = false;
  private probedAtMs = -Infinity;
  private isProbing = false;

  /** @param probe writes something that changes nothing, as durably as any write; rejects when that fails. */
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

  /** Whether the latest write failed. Answers at once. */
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
      // Still so. Why, whoever wrote last was told.
    }
    this.isProbing = false;
  }
}
