const MAX_AT_ONCE = 64n;

/**
 * When a filtered subscription tells how far it has come, by EventStoreDB's rules: after each `interval` of considered events,
 * whether they matched or not. While it catches up it looks at a window of them at once, and so it tells after the window in
 * which the interval was reached, and where the last event that it sent from this window stands, or else the window's first one;
 * live it tells the very event. Positions have no gaps, so considered events are counted by subtraction.
 */
export class Checkpoints {
  /** Considered events between two checkpoints. */
  private readonly interval: bigint;
  /** The last event of the interval before. */
  private counted: bigint;
  /** The last event that was sent. */
  private sent = 0n;

  constructor(
    /** The position that the subscription begins after. */
    start: bigint,
    private readonly window: bigint,
    multiplier: bigint,
  ) {
    this.interval = window * multiplier;
    this.counted = start;
  }

  eventSent(position: bigint): void {
    this.sent = position;
  }

  /** What is due live, once everything up to the position has been considered, and sent if it matched. */
  *reached(position: bigint): Generator<bigint, void, undefined> {
    while (position - this.counted >= this.interval) {
      this.counted += this.interval;
      yield this.counted;
    }
  }

  /**
   * The same while catching up. Where the filter's index passes over many windows at once, only the last of their checkpoints
   * are told: each stands for all before it.
   */
  *passed(position: bigint): Generator<bigint, void, undefined> {
    const due = (position - this.counted) / this.interval;
    if (due > MAX_AT_ONCE) this.counted += (due - MAX_AT_ONCE) * this.interval;
    while (position - this.counted >= this.interval) {
      this.counted += this.interval;
      const firstOfWindow = this.counted - this.window + 1n;
      yield this.sent >= firstOfWindow ? this.sent : firstOfWindow;
    }
  }
}
