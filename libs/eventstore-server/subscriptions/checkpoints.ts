/**
 * When a filtered subscription tells how far it has come: after each so many considered events, whether they matched or
 * not. Positions have no gaps, so considered events are counted by subtraction. A checkpoint never stands before an event
 * that is still to be sent, and none is told twice.
 */
export class Checkpoints {
  private last: bigint;

  constructor(
    start: bigint,
    /** Considered events between two checkpoints. */
    private readonly interval: bigint,
  ) {
    this.last = start;
  }

  /** What is due once everything up to the position has been considered, and sent if it matched. */
  *reached(position: bigint): Generator<bigint, void, undefined> {
    while (position - this.last >= this.interval) {
      this.last += this.interval;
      yield this.last;
    }
  }

  /** The same while catching up, where one checkpoint stands for many that nobody would wait for. */
  skippedTo(position: bigint): bigint | null {
    if (position - this.last < this.interval) return null;
    this.last = position;
    return position;
  }

  /** The last word of the catch-up, or null when it was said. */
  caughtUp(position: bigint): bigint | null {
    if (position <= this.last) return null;
    this.last = position;
    return position;
  }
}
