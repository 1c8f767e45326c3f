const MAX_AT_ONCE = 64n;

/**
 * When a filtered subscription sends checkpoints, by EventStoreDB's rules: after each `interval` of considered events,
 * matching or not. While catching up it reads windows, so the checkpoint comes after the window that completes the
 * interval, at the window's last sent event, or else its first; live it is the exact event. Positions have no gaps, so
 * considered events are counted by subtraction.
 */
export class Checkpoints {
  /** Considered events between two checkpoints. */
  private readonly interval: bigint;
  /** The last event of the previous interval. */
  private counted: bigint;
  /** The last event that was sent. */
  private sent = 0n;

  constructor(
    /** The position after which the subscription begins. */
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

  /** The checkpoint due in live mode once everything up to the position was considered, and sent if it matched. */
  *reached(position: bigint): Generator<bigint, void, undefined> {
    while (position - this.counted >= this.interval) {
      this.counted += this.interval;
      yield this.counted;
    }
  }

  /**
   * The same while catching up. If the filter's index skips many windows at once, only the last checkpoint is sent: it
   * covers all before it.
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
