import { groupOwner } from '../projection';
import { insertByDue } from './insert-by-due';
import type { SlotPool } from './slot-pool';

/** So many items wait in memory at most; the others stay on their list until there is room. */
const MAX_WAITING = 20_000;

/** What is due, and whose turn it takes. */
export interface QueuedItem {
  readonly key: string;
  readonly group: string;
  /** Since when it is due, in ms since the epoch. */
  readonly dueAtMs: number;
}

/** How much may be in hand at the same time. Asked for each item anew, so that it may follow what is learnt of a group. */
export interface QueueLimits {
  /** An item takes a slot in each of these, and waits until all of them have one that it is fair to take. */
  poolsOf(group: string): readonly SlotPool[];
  /** Items of one group. */
  ofGroup(group: string): number;
}

/** What an item in hand occupies. */
export class Slot {
  private isLeft = false;

  constructor(
    private readonly queue: { enter(group: string): readonly SlotPool[] | null; leave(slot: Slot): void },
    private held: { readonly group: string; readonly pools: readonly SlotPool[] },
  ) {}

  get group(): string {
    return this.held.group;
  }

  get pools(): readonly SlotPool[] {
    return this.held.pools;
  }

  /** Exchanges it for one of another group, which the item turns out to belong to. False where that has none free: then it has none. */
  move(group: string): boolean {
    if (group === this.group && !this.isLeft) return true;
    this.leave();
    const pools = this.queue.enter(group);
    if (pools === null) return false;
    this.held = { group, pools };
    this.isLeft = false;
    return true;
  }

  /** Gives it back; nothing where it was given back before. */
  leave(): void {
    if (this.isLeft) return;
    this.isLeft = true;
    this.queue.leave(this);
  }
}

interface Turn {
  inHand: number;
  /** Number of the last start, 0 for none: who has waited longest goes first. */
  lastStart: number;
}

interface Group<T> extends Turn {
  /** The longest due first. */
  readonly items: T[];
}

interface Owner<T> extends Turn {
  waiting: number;
  readonly groups: Map<string, Group<T>>;
}

/**
 * Whose due item goes next: that of the owner with the fewest in hand, and there that of the group with the fewest; who has waited
 * longest wins a tie, and within a group what is due longest. So nobody's items, however many and however slow, hold up another's. It is
 * politeness, not truth: each process keeps its own.
 */
export class FairQueue<T extends QueuedItem> {
  private readonly owners = new Map<string, Owner<T>>();
  private readonly byKey = new Map<string, T>();
  private starts = 0;
  /** How often an item found no room. */
  overflows = 0;

  constructor(
    private readonly limits: QueueLimits,
    readonly maxWaiting = MAX_WAITING,
  ) {}

  get size(): number {
    return this.byKey.size;
  }

  get hasRoom(): boolean {
    return this.size < this.maxWaiting / 2;
  }

  waiting(): IterableIterator<T> {
    return this.byKey.values();
  }

  get(key: string): T | undefined {
    return this.byKey.get(key);
  }

  /** In the slot of one with the same key. Where there is no room, the last one of the owner with the most goes without. */
  push(item: T): void {
    this.remove(item.key);
    const owner = this.ownerOf(item.group);
    if (this.size >= this.maxWaiting) {
      this.overflows += 1;
      const crowded = this.mostWaiting();
      if (crowded.waiting <= owner.waiting + 1) return this.forget(groupOwner(item.group), item.group);
      this.dropLast(crowded);
    }
    insertByDue(groupOf(owner, item.group).items, item);
    owner.waiting += 1;
    this.byKey.set(item.key, item);
  }

  remove(key: string): void {
    const item = this.byKey.get(key);
    if (item === undefined) return;
    const owner = this.ownerOf(item.group);
    const { items } = groupOf(owner, item.group);
    items.splice(items.indexOf(item), 1);
    this.taken(item, owner);
  }

  /** Takes out the item whose turn it is, with its slot; null where none may begin now. */
  next(mayBegin: (item: T) => boolean = () => true): { readonly item: T; readonly slot: Slot } | null {
    let best: { readonly name: string; readonly owner: Owner<T>; readonly group: string } | null = null;
    for (const [name, owner] of this.owners) {
      if (owner.waiting === 0 || (best !== null && !isBefore(owner, best.owner))) continue;
      const group = this.nextGroup(name, owner, mayBegin);
      if (group !== null) best = { name, owner, group };
    }
    if (best === null) return null;
    const { owner, group } = best;
    const item = groupOf(owner, group).items.shift();
    if (item === undefined) return null;
    this.taken(item, owner, { keep: true });
    return { item, slot: new Slot(this, { group, pools: this.start(group) }) };
  }

  /** For slots. */
  enter(group: string): readonly SlotPool[] | null {
    const owner = this.ownerOf(group);
    const isFree =
      groupOf(owner, group).inHand < this.limits.ofGroup(group) &&
      this.limits.poolsOf(group).every((pool) => !pool.isFull);
    if (isFree) return this.start(group);
    this.forget(groupOwner(group), group);
    return null;
  }

  /** For slots. */
  leave({ group, pools }: Slot): void {
    const name = groupOwner(group);
    const owner = this.ownerOf(group);
    owner.inHand -= 1;
    groupOf(owner, group).inHand -= 1;
    for (const pool of pools) pool.giveBack(name);
    this.forget(name, group);
  }

  private start(group: string): readonly SlotPool[] {
    const name = groupOwner(group);
    const owner = this.ownerOf(group);
    this.starts += 1;
    for (const turn of [owner, groupOf(owner, group)]) {
      turn.inHand += 1;
      turn.lastStart = this.starts;
    }
    const pools = this.limits.poolsOf(group);
    for (const pool of pools) pool.take(name);
    return pools;
  }

  private nextGroup(name: string, { groups }: Owner<T>, mayBegin: (item: T) => boolean): string | null {
    let best: { readonly group: string; readonly turn: Turn } | null = null;
    for (const [group, turn] of groups) {
      const [first] = turn.items;
      if (first === undefined || !mayBegin(first)) continue;
      if (best !== null && !isBefore(turn, best.turn)) continue;
      if (turn.inHand >= this.limits.ofGroup(group)) continue;
      if (this.limits.poolsOf(group).every((pool) => pool.allows(name))) best = { group, turn };
    }
    return best?.group ?? null;
  }

  private ownerOf(group: string): Owner<T> {
    const name = groupOwner(group);
    let owner = this.owners.get(name);
    if (owner === undefined) {
      owner = { inHand: 0, lastStart: 0, waiting: 0, groups: new Map() };
      this.owners.set(name, owner);
    }
    return owner;
  }

  private mostWaiting(): Owner<T> {
    return [...this.owners.values()].reduce((most, owner) => (owner.waiting > most.waiting ? owner : most));
  }

  private dropLast(owner: Owner<T>): void {
    const groups = [...owner.groups.values()];
    const crowded = groups.reduce((most, group) => (group.items.length > most.items.length ? group : most));
    const last = crowded.items.at(-1);
    if (last !== undefined) this.remove(last.key);
  }

  private taken(item: T, owner: Owner<T>, { keep = false } = {}): void {
    owner.waiting -= 1;
    this.byKey.delete(item.key);
    if (!keep) this.forget(groupOwner(item.group), item.group);
  }

  /** Keeps nothing of those who have nothing. */
  private forget(name: string, group: string): void {
    const owner = this.owners.get(name);
    const turn = owner?.groups.get(group);
    if (turn?.inHand === 0 && turn.items.length === 0) owner?.groups.delete(group);
    if (owner?.groups.size === 0) this.owners.delete(name);
  }
}

function groupOf<T>(owner: Owner<T>, group: string): Group<T> {
  let found = owner.groups.get(group);
  if (found === undefined) {
    found = { inHand: 0, lastStart: 0, items: [] };
    owner.groups.set(group, found);
  }
  return found;
}

function isBefore(one: Turn, other: Turn): boolean {
  return one.inHand !== other.inHand ? one.inHand < other.inHand : one.lastStart < other.lastStart;
}
