import type { Clock } from '../environment';
import type { CollectionName, ListedDocument, PageRequest, ReadStore } from '../read-store';
import type { FairQueue } from './fair-queue';
import type { ToDoItem, ToDoItems } from './to-do-items';
import { atTime, behindPosition, behindTime, positionAt, TO_DO } from './to-do-entries';

/** How far ahead items that are due later are kept in memory. */
const AHEAD_MS = 60_000;
/** How often the list is polled even without a hint of a change. */
const LOOK_EVERY_MS = 1_000;
const PAGE = 200;
/** Value of `overflows`: due items have to be read from the start of the list, whether or not the queue has room. */
const UNREAD = -1;

export interface ToDoFeedDependencies {
  readonly list: CollectionName;
  readonly readStore: ReadStore;
  readonly clock: Clock;
  readonly queue: FairQueue<ToDoItem>;
  /** The list's last known checkpoint position. */
  readonly position: () => bigint;
}

/**
 * Loads a to-do list into memory: on takeover all items that are due now or within a minute, then every change. Writes
 * nothing, so any number of processes may read the list.
 */
export class ToDoFeed {
  private version: number | null = null;
  /** The order in `changes` up to which changes were read. */
  private seen = '';
  private nextLookMs = -Infinity;
  /** The queue's overflow count when all due items were last read. */
  private overflows = UNREAD;

  constructor(
    private readonly items: ToDoItems,
    private readonly deps: ToDoFeedDependencies,
  ) {}

  /**
   * Reads what is new in this version of the list.
   *
   * @returns the longest time until the next read, in ms.
   * @throws ReadStoreUnavailableError
   */
  async read(version: number): Promise<number> {
    if (version !== this.version && !(await this.takeOver(version))) return LOOK_EVERY_MS;
    try {
      return await this.readOn();
    } catch (error) {
      // The page that was being read is lost.
      this.overflows = UNREAD;
      throw error;
    }
  }

  /** Drops all that is known of the list; the next read is a takeover. */
  forget(): void {
    this.version = null;
    this.items.clear();
  }

  private async readOn(): Promise<number> {
    const { items, deps } = this;
    const { clock } = deps;
    const position = deps.position();
    await this.take({ list: TO_DO.changes, after: this.seen });
    // Not the last entry read: a forged entry may have an order beyond all that will ever come.
    this.seen = behindPosition(position);
    items.settled(position);
    if (clock.monotonicMs() >= this.nextLookMs) await this.look();
    items.moveDue();
    const untilDueMs = items.nextDueAtMs - clock.settledMs();
    return Math.max(1, Math.min(this.nextLookMs - clock.monotonicMs(), untilDueMs));
  }

  private async takeOver(version: number): Promise<boolean> {
    const { list, readStore } = this.deps;
    const { active } = await readStore.versions(list.projection);
    if (active?.version !== version) return false;
    this.forget();
    this.seen = active.checkpoint === null ? '' : behindPosition(active.checkpoint.position);
    this.nextLookMs = -Infinity;
    this.overflows = UNREAD;
    this.version = version;
    return true;
  }

  /** Finds what no change reveals: time that passes, clocks set back, items left alone, and items that had no room. */
  private async look(): Promise<void> {
    const { items, deps } = this;
    const { clock, queue } = deps;
    this.nextLookMs = clock.monotonicMs() + LOOK_EVERY_MS;
    items.moveVoid();
    await this.take({ list: TO_DO.waits, direction: 'descending', until: behindTime(clock.nowMs()) });
    await this.lookAtRested();
    if (this.overflows === UNREAD || (queue.overflows !== this.overflows && queue.hasRoom)) await this.readAll();
    if (items.hasRoomForLater) await this.readLater();
  }

  /** Reads all due items; `untilMs = 0` makes `readLater` start over as well. */
  private async readAll(): Promise<void> {
    const { overflows } = this.deps.queue;
    this.items.untilMs = 0;
    await this.take({ list: TO_DO.now });
    this.overflows = overflows;
  }

  private async readLater(): Promise<void> {
    const { items, deps } = this;
    const nowMs = deps.clock.settledMs();
    const from = items.untilMs;
    if (from > nowMs + AHEAD_MS / 2) return;
    const until = nowMs + AHEAD_MS;
    items.untilMs = until;
    const isAllKept = () => items.untilMs === until;
    await this.take({ list: TO_DO.later, after: atTime(from), until: atTime(until) }, isAllKept);
  }

  private async lookAtRested(): Promise<void> {
    const { list, readStore } = this.deps;
    const rested = this.items.takeRested();
    const documents = await readStore.getMany(list, [...rested.keys()]);
    for (const [index, [key, position]] of [...rested].entries()) {
      const document = documents[index] ?? null;
      if (document !== null) this.items.take({ key, position }, document);
    }
  }

  private async take(
    range: Pick<PageRequest, 'list'> & Partial<PageRequest>,
    wantsMore: () => boolean = () => true,
  ): Promise<void> {
    const { list: name, readStore } = this.deps;
    const request = { name, direction: 'ascending' as const, after: null, limit: PAGE, ...range };
    for (let last: string | null = null; ;) {
      const page = await readStore.page({ ...request, after: last ?? request.after });
      for (const listed of page) this.takeListed(listed);
      last = page.at(-1)?.order ?? last;
      if (page.length < PAGE || !wantsMore()) return;
    }
  }

  private takeListed({ order, document, key }: ListedDocument): void {
    this.items.take({ key, position: positionAt(order) }, document);
  }
}
