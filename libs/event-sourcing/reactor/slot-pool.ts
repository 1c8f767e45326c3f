export interface SlotPoolOptions {
  readonly slots: number;
  /**
   * An owner gets another slot only while it holds fewer than `share` times the free slots. Alone it gets up to
   * `share / (share + 1)` of all; each further owner finds some free, fewer the more owners there are.
   */
  readonly share: number;
}

/**
 * Slots for items in progress, shared by owners such as merchants. However much work an owner has and however slow it
 * is, slots stay free for other owners, who need not wait for it to finish, unless there are so many owners that
 * together they fill the pool. With n owners that take all they can get, `slots / (n · share + 1)` stay free.
 */
export class SlotPool {
  /** By owner; without owners that hold none. */
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

  /** Whether the owner may take one more without unfairness to others. */
  allows(owner: string): boolean {
    const { slots, share } = this.options;
    return this.heldBy(owner) < share * (slots - this.inUse);
  }

  /** Takes `count` slots unconditionally, even if that is unfair or exceeds the pool. */
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

  /** An independent copy, to try out what could be taken. */
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
