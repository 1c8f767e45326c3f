import type { Clock } from '../environment';
import type { CollectionName, ListedDocument, PageRequest, ReadStore } from '../read-store';
import type { FairQueue } from './fair-queue';
import type { ToDoItem, ToDoItems } from './to-do-items';
import { atTime, behindPosition, behindTime, positionAt, TO_DO } from './to-do-entries';

/** How far ahead what falls due later is kept in memory. */
const AHEAD_MS = 60_000;
/** The list is looked at this often even if nobody tells of a change. */
const LOOK_EVERY_MS = 1_000;
const PAGE = 200;
/** Of the queue's overflows: what is due has to be read from its beginning, whatever there is room for. */
const UNREAD = -1;

export interface ToDoFeedDependencies {
  readonly list: CollectionName;
  readonly readStore: ReadStore;
  readonly clock: Clock;
  readonly queue: FairQueue<ToDoItem>;
  /** How far the list is known to have come. */
  readonly position: () => bigint;
}

/**
 * Brings what a to-do list shows into memory: all that is due and what falls due within a minute when it is taken over, then what changes.
 * Nothing is written, so that any number of processes may look.
 */
export class ToDoFeed {
  private version: number | null = null;
  /** Up to where changes were seen. */
  private seen = '';
  private nextLookMs = -Infinity;
  /** How often the queue had been full when all that is due was read. */
  private overflows = UNREAD;

  constructor(
    private readonly items: ToDoItems,
    private readonly deps: ToDoFeedDependencies,
  ) {}

  /**
   * Reads what is new of this version of the list.
   *
   * @returns when it is to be read again at the latest, in ms from now
   * @throws ReadStoreUnavailableError
   */
  async read(version: number): Promise<number> {
    if (version !== this.version && !(await this.takeOver(version))) return LOOK_EVERY_MS;
    try {
      return await this.readOn();
    } catch (error) {
      // What was under way is known to nobody now.
      this.overflows = UNREAD;
      throw error;
    }
  }

  /** Nothing of the list is known any more. */
  forget(): void {
    this.version = null;
    this.items.clear();
  }

  private async readOn(): Promise<number> {
    const { items, deps } = this;
    const { clock } = deps;
    const position = deps.position();
    await this.take({ list: TO_DO.changes, after: this.seen });
    // Not up to the last one that was listed: others may have put something behind all that will ever come.
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

  /** What nobody tells of: time, clocks that were put back, what was left alone, and what had no room. */
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

  /** What falls due later is read with the next look at it. */
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

  /** Page by page. */
  private async take(
    part: Pick<PageRequest, 'list'> & Partial<PageRequest>,
    wantsMore: () => boolean = () => true,
  ): Promise<void> {
    const { list: name, readStore } = this.deps;
    const request = { name, direction: 'ascending' as const, after: null, limit: PAGE, ...part };
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
