export interface SlotPoolOptions {
  readonly slots: number;
  /**
   * An owner gets a further slot only while it holds fewer than `share` times as many as are still free: alone it comes to
   * `share / (share + 1)` of all, and every further owner who comes finds slots free, fewer the more they are.
   */
  readonly share: number;
}

/**
 * Places for work that are shared by owners, such as the merchants whose work it is. Nobody's work, however slow and however
 * much of it there is, holds the slots that somebody else's will need: there is no waiting for a slow owner's work to
 * end, as long as a few owners can't fill all of it between them. With n owners who take all they get, `slots / (n · share
 * + 1)` stay free.
 */
export class SlotPool {
  /** Owners who hold none aren't in it. */
  private readonly held = new Map<string, number>();
  private inUse = 0;

  constructor(private readonly options: SlotPoolOptions) {}

  get taken(): number {
    return this.inUse;
  }

  heldBy(owner: string): number {
    return this.held.get(owner) ?? 0;
  }

  get isFull(): boolean {
    return this.inUse >= this.options.slots;
  }

  /** Whether it is fair that the owner takes one more. */
  allows(owner: string): boolean {
    const { slots, share } = this.options;
    return this.heldBy(owner) < share * (slots - this.inUse);
  }

  /** Takes so many slots, be it fair or not, and be there so many or not. */
  take(owner: string, count = 1): void {
    this.set(owner, this.heldBy(owner) + count);
    this.inUse += count;
  }

  giveBack(owner: string, count = 1): void {
    const left = this.heldBy(owner) - count;
    if (left < 0) throw new Error('gave back a slot that was not taken');
    this.set(owner, left);
    this.inUse -= count;
  }

  /** The same as of now, to try out on it what could be taken. */
  copy(): SlotPool {
    const copy = new SlotPool(this.options);
    for (const [owner, count] of this.held) copy.take(owner, count);
    return copy;
  }

  private set(owner: string, count: number): void {
    if (count === 0) this.held.delete(owner);
    else this.held.set(owner, count);
  }
}
