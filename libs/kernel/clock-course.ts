/** Wall time that goes on by this much more or less than time does has stepped; less is a clock being slowed or hurried. */
export const CLOCK_STEP_MS = 2_000;
/** A leap ahead is believed once the clock has kept its new course for so long. */
export const CLOCK_TRUSTED_AFTER_MS = 60_000;

export interface ClockStep {
  /** How far the clock stepped, in ms: ahead, or, below zero, back. */
  readonly byMs: number;
  /** How many steps there have been, this one included. */
  readonly count: number;
}

/**
 * Holds the wall clock against the monotonic one. A step back is taken as it is: whatever waits by a later clock doesn't wait for it
 * (see `Wait`). A leap ahead would end waits early, and among them ends that can't be taken back, so it is believed only after a
 * while; a clock that is put right before then has done nothing.
 */
export class ClockCourse {
  private last: { readonly wallMs: number; readonly monotonicMs: number } | null = null;
  /** How far the wall clock is ahead of its last trusted course (behind it, below zero), and since when it has kept to that. */
  private aheadMs = 0;
  private steppedAtMs = 0;
  private step: ClockStep | null = null;

  get lastStep(): ClockStep | null {
    return this.step;
  }

  settledMs(wallMs: number, monotonicMs: number): number {
    const { last } = this;
    this.last = { wallMs, monotonicMs };
    if (last === null) return wallMs;
    const byMs = wallMs - last.wallMs - (monotonicMs - last.monotonicMs);
    if (Math.abs(byMs) >= CLOCK_STEP_MS) this.stepped(byMs, monotonicMs);
    if (monotonicMs - this.steppedAtMs >= CLOCK_TRUSTED_AFTER_MS) this.aheadMs = 0;
    return wallMs - Math.max(0, this.aheadMs);
  }

  private stepped(byMs: number, monotonicMs: number): void {
    this.step = { byMs, count: (this.step?.count ?? 0) + 1 };
    this.aheadMs += byMs;
    this.steppedAtMs = monotonicMs;
  }
}
