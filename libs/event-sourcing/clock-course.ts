/** The wall clock has stepped when it differs from elapsed time by this much. Less is a clock being slewed. */
export const CLOCK_STEP_MS = 2_000;
/** A jump ahead is believed once the clock has kept its new course for this long. */
export const CLOCK_TRUSTED_AFTER_MS = 60_000;

export interface ClockStep {
  /** How far the clock stepped, in ms; negative is back. */
  readonly byMs: number;
  /** The number of steps, including this one. */
  readonly count: number;
}

/**
 * Compares the wall clock with the monotonic one. A step back is believed at once: waits that began under a later clock
 * are cut short (see `Wait`). A jump ahead would end waits early, some of them irreversibly, so it is believed only
 * after a while; a clock that is corrected before then has no effect.
 */
export class ClockCourse {
  private last: { readonly wallMs: number; readonly monotonicMs: number } | null = null;
  /** How far the wall clock is from its last trusted course, in ms (negative is behind), and since when. */
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
