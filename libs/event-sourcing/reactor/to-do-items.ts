import type { Clock } from '../environment';
import type { Due } from '../projection';
import type { Document } from '../read-store';
import { isOver } from '../wait';
import type { FairQueue, QueuedItem } from './fair-queue';
import { insertByDue } from './insert-by-due';
import type { ItemState } from './to-do-entries';

/** An item as the list shows it. Only the fact that something is due is believed; the rest comes from the stream. */
export interface ToDoItem extends QueuedItem, ItemState {
  readonly document: Document;
  readonly waitsFromMs: number | null;
  readonly items: ToDoItems;
}

/** The result of an item: the position of the last event that was appended, or null if there was nothing to do. */
export type Performed = bigint | null | 'set aside';

/** How long an item is left alone that the list shows but its stream no longer needs: the list may be behind. */
const STALE_ITEM_MS = 1_000;
/** How long an item is left alone that failed, so that a broken one is not retried in a tight loop. */
const FAILED_ITEM_MS = 10_000;
/** How long an item is left alone that cannot be worked at present. */
export const SET_ASIDE_MS = 60_000;

interface InHand {
  readonly position: bigint;
  /** A newer state that the list has shown meanwhile. */
  newer: ToDoItem | null;
}

/**
 * What one process knows of one to-do list. Due items wait in a queue shared with other lists; items that are due soon,
 * in progress or left alone are kept here. An item is identified by its key, its states by their positions.
 */
export class ToDoItems {
  /** Items due at this time or later are only on the list, not in memory; in ms since the epoch. */
  untilMs = 0;
  /** By due time. */
  private readonly later: ToDoItem[] = [];
  private readonly laterByKey = new Map<string, ToDoItem>();
  private readonly inHand = new Map<string, InHand>();
  private readonly aside = new Map<string, { readonly position: bigint; readonly untilMs: number }>();
  /** By key, the position of the last event appended for the item: older states that the list still shows are done. */
  private readonly done = new Map<string, bigint>();

  /** @param due when a document's item is due, and for which group. */
  constructor(
    private readonly queue: FairQueue<ToDoItem>,
    private readonly clock: Clock,
    private readonly due: (document: Document) => Due | null,
    /** Whether an item of this list may be started now. */
    readonly mayBegin: () => boolean,
  ) {}

  /** The most items due later that are kept: the earliest ones. */
  private get maxLater(): number {
    return this.queue.maxWaiting / 4;
  }

  get hasRoomForLater(): boolean {
    return this.later.length < this.maxLater / 2;
  }

  /** The earliest due time of the items kept here, in ms since the epoch; `Infinity` for none. */
  get nextDueAtMs(): number {
    return this.later[0]?.dueAtMs ?? Infinity;
  }

  /** Takes a state of an item that the list shows. Ignores states that are already known or done. */
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

  /** Moves items that have become due into the queue. */
  moveDue(): void {
    while (this.later[0] !== undefined && isOver(this.later[0], this.clock)) this.moveToQueue(this.later[0]);
  }

  /** Also moves items into the queue whose wait is over because the clock was set back. */
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

  /**
   * Takes out the items that were left alone long enough, with their positions. The list tells if they are still on it.
   */
  takeRested(): ReadonlyMap<string, bigint> {
    const nowMs = this.clock.monotonicMs();
    const rested = [...this.aside].filter(([, { untilMs }]) => untilMs <= nowMs);
    for (const [key] of rested) this.aside.delete(key);
    return new Map(rested.map(([key, { position }]) => [key, position]));
  }

  /** The list has processed everything up to the position, so it shows no older state from now on. */
  settled(position: bigint): void {
    for (const [key, until] of this.done) if (until <= position) this.done.delete(key);
  }

  /** Forgets everything except items in progress. */
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

/** A forged or broken item counts as due at once and belongs to no owner: the stream says what has to be done. */
function soundDue(document: Document, due: (document: Document) => Due | null): Due {
  try {
    const { waitsFromMs, dueAtMs, group } = due(document) ?? UNSOUND;
    const isSound = [waitsFromMs ?? 0, dueAtMs].every(Number.isFinite) && typeof group === 'string';
    if (isSound) return { waitsFromMs, dueAtMs, group };
  } catch {
    // Not a document that this service wrote.
  }
  return UNSOUND;
}

const UNSOUND: Due = { waitsFromMs: 0, dueAtMs: 0, group: '' };
