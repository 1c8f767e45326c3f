/**
 * Lets few work at once, in the order in which they came, and a bounded number of each wait: what auditors read must
 * not slow merchants down.
 */
export class Turns {
  private working = 0;
  private readonly waiting: (() => void)[] = [];
  private readonly ofEach = new Map<string, number>();

  constructor(
    private readonly atOnce: number,
    private readonly ofOne: number,
  ) {}

  /** Null, and nothing is done, if `who` has too many already. */
  take<T>(who: string, work: () => Promise<T>): Promise<T> | null {
    const count = this.ofEach.get(who) ?? 0;
    if (count >= this.ofOne) return null;
    this.ofEach.set(who, count + 1);
    return this.inTurn(work).finally(() => this.left(who));
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.working >= this.atOnce) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.working += 1;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      // The next one takes over the place.
      if (next === undefined) this.working -= 1;
      else next();
    }
  }

  private left(who: string): void {
    const count = (this.ofEach.get(who) ?? 1) - 1;
    if (count === 0) this.ofEach.delete(who);
    else this.ofEach.set(who, count);
  }
}
