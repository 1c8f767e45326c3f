import type { Clock } from '../environment';
import type { Due } from '../projection';
import type { Document } from '../read-store';
import { isOver } from '../wait';
import type { FairQueue, QueuedItem } from './fair-queue';
import { insertByDue } from './insert-by-due';
import type { ItemState } from './to-do-entries';

/** An item as its list shows it: that something is due is all that is believed of it. */
export interface ToDoItem extends QueuedItem, ItemState {
  readonly document: Document;
  readonly waitsFromMs: number | null;
  readonly items: ToDoItems;
}

/** What became of an item: the position of the last event that was appended, or null where there was nothing to do. */
export type Performed = bigint | null | 'set aside';

/** How long an item is left alone that the list shows and its stream no longer asks for: the list may not be followed now. */
const STALE_ITEM_MS = 1_000;
/** How long one is left alone that could not be worked on, so that a broken one is not tried again and again without a pause. */
const FAILED_ITEM_MS = 10_000;
/** How long one is left alone that can't be worked on as things are. */
export const SET_ASIDE_MS = 60_000;

interface InHand {
  readonly position: bigint;
  /** What the list has come to show meanwhile. */
  newer: ToDoItem | null;
}

/**
 * What one process knows of one to-do list: what is due waits in a queue that it shares with other lists, what falls due soon waits here,
 * and so does what is in hand or left alone for a while. An item is told apart by its key, and its states by the log's position.
 */
export class ToDoItems {
  /** What falls due from then on is known to its list alone, in ms since the epoch. */
  untilMs = 0;
  /** By when they fall due. */
  private readonly later: ToDoItem[] = [];
  private readonly laterByKey = new Map<string, ToDoItem>();
  private readonly inHand = new Map<string, InHand>();
  private readonly aside = new Map<string, { readonly position: bigint; readonly untilMs: number }>();
  /** Up to where what a list may still show of an item is done. */
  private readonly done = new Map<string, bigint>();

  /** @param due when the item of a document is due, and whose it is */
  constructor(
    private readonly queue: FairQueue<ToDoItem>,
    private readonly clock: Clock,
    private readonly due: (document: Document) => Due | null,
    /** Whether an item may be begun now. */
    readonly mayBegin: () => boolean,
  ) {}

  /** So many that fall due later are kept at most: the earliest ones. */
  private get maxLater(): number {
    return this.queue.maxWaiting / 4;
  }

  get hasRoomForLater(): boolean {
    return this.later.length < this.maxLater / 2;
  }

  /** When the next one falls due, in ms since the epoch. */
  get nextDueAtMs(): number {
    return this.later[0]?.dueAtMs ?? Infinity;
  }

  /** The list shows this state of an item; one that is known already, or done, is none. */
  take(state: ItemState, document: Document): void {
    const { key, position } = state;
    if (position < (this.done.get(key) ?? 0n) || position <= this.known(key)) return;
    const item = { ...state, ...soundDue(document, this.due), document, items: this };
    const held = this.inHand.get(key);
    if (held !== undefined) {
      held.newer = item;
      return;
    }
    this.forget(key);
    this.schedule(item);
  }

  /** Moves what has fallen due into the queue. */
  moveDue(): void {
    while (this.later[0] !== undefined && isOver(this.later[0], this.clock)) this.moveToQueue(this.later[0]);
  }

  /** Moves those into the queue, too, whose wait is void, as the clock was put back. */
  moveVoid(): void {
    for (const item of this.later.filter((one) => isOver(one, this.clock))) this.moveToQueue(item);
  }

  begun({ key, position }: ToDoItem): void {
    this.inHand.set(key, { position, newer: null });
  }

  finished(item: ToDoItem, performed: Performed): void {
    const newer = this.inHand.get(item.key)?.newer ?? null;
    this.inHand.delete(item.key);
    if (typeof performed === 'bigint') {
      this.done.set(item.key, performed);
      if (newer !== null && newer.position >= performed) this.schedule(newer);
    } else if (newer !== null) this.schedule(newer);
    else this.leaveAlone(item, performed === null ? STALE_ITEM_MS : SET_ASIDE_MS);
  }

  failed(item: ToDoItem): void {
    const newer = this.inHand.get(item.key)?.newer ?? null;
    this.inHand.delete(item.key);
    this.leaveAlone(newer ?? item, FAILED_ITEM_MS);
  }

  /** The keys of those that were left alone for long enough: the list tells whether they are still on it. */
  takeRested(): ReadonlyMap<string, bigint> {
    const nowMs = this.clock.monotonicMs();
    const rested = [...this.aside].filter(([, { untilMs }]) => untilMs <= nowMs);
    for (const [key] of rested) this.aside.delete(key);
    return new Map(rested.map(([key, { position }]) => [key, position]));
  }

  /** Whatever the list shows from now on has everything up to the position in it. */
  settled(position: bigint): void {
    for (const [key, until] of this.done) if (until <= position) this.done.delete(key);
  }

  /** Forgets all but what is in hand. */
  clear(): void {
    const queued = this.queued().map(({ key }) => key);
    for (const key of [...queued, ...this.laterByKey.keys(), ...this.aside.keys()]) this.forget(key);
    this.done.clear();
    this.untilMs = 0;
    for (const held of this.inHand.values()) held.newer = null;
  }

  private known(key: string): bigint {
    const held = this.inHand.get(key);
    if (held !== undefined) return held.newer?.position ?? held.position;
    return (this.queue.get(key) ?? this.laterByKey.get(key) ?? this.aside.get(key))?.position ?? -1n;
  }

  private schedule(item: ToDoItem): void {
    if (isOver(item, this.clock)) return this.queue.push(item);
    if (item.dueAtMs >= this.untilMs) return;
    insertByDue(this.later, item);
    this.laterByKey.set(item.key, item);
    const last = this.later.length > this.maxLater ? this.later.at(-1) : undefined;
    if (last === undefined) return;
    this.forget(last.key);
    this.untilMs = last.dueAtMs;
  }

  private moveToQueue(item: ToDoItem): void {
    this.forget(item.key);
    this.queue.push(item);
  }

  private queued(): readonly ToDoItem[] {
    return [...this.queue.waiting()].filter(({ items }) => items === this);
  }

  private leaveAlone({ key, position }: ToDoItem, ms: number): void {
    this.aside.set(key, { position, untilMs: this.clock.monotonicMs() + ms });
  }

  private forget(key: string): void {
    const later = this.laterByKey.get(key);
    if (later !== undefined) this.later.splice(this.later.indexOf(later), 1);
    this.laterByKey.delete(key);
    this.aside.delete(key);
    this.queue.remove(key);
  }
}

/** What anybody may have written into the list counts as due at once, and as nobody's. */
function soundDue(document: Document, due: (document: Document) => Due | null): Due {
  try {
    const { waitsFromMs, dueAtMs, group } = due(document) ?? UNSOUND;
    const isSound = [waitsFromMs ?? 0, dueAtMs].every(Number.isFinite) && typeof group === 'string';
    if (isSound) return { waitsFromMs, dueAtMs, group };
  } catch {
    // Not a document of ours.
  }
  return UNSOUND;
}

const UNSOUND: Due = { waitsFromMs: 0, dueAtMs: 0, group: '' };
