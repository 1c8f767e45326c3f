import {
  type Clock,
  type Collection,
  type CollectionName,
  ContentionError,
  DamagedHistoryError,
  type Document,
  type DomainEvent,
  EventStoreUnavailableError,
  FairQueue,
  type Performed,
  type Slot,
  type QueueLimits,
  type Random,
  type ReadStore,
  ReadStoreUnavailableError,
  ToDoFeed,
  type ToDoItem,
  ToDoItems,
} from '@app/event-sourcing';
import {
  type DamagedStreams,
  errorReason,
  failureLog,
  ForgedEntryError,
  type ForgedEntries,
  type Logger,
} from '@app/platform/telemetry';
import { WakeSignal, Supervisor, type Worker } from '@app/platform/lifecycle';
import { LeasedPartitions, type SharedUnit, type UnitRunner } from './leased-partitions';
import { ONE_PARTITION, type Partitions } from './partitions';
import type { ProjectionProgress } from './progress';

/** How often an incomplete list is checked, in ms. */
const LOOK_EVERY_MS = 1_000;
/**
 * The pause between attempts while the read store is unavailable, short so that due work resumes soon after its return.
 */
const RECONNECT_AFTER_MS = 500;
/** A failure after this long without one counts as a new outage. */
const OUTAGE_OVER_MS = 10_000;

export interface ReactorDependencies {
  readonly readStore: ReadStore;
  readonly progress: ProjectionProgress;
  /** The partitions of the list; one when absent. */
  readonly partitions?: Partitions;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly damaged: Pick<DamagedStreams, 'report'>;
  readonly forged: Pick<ForgedEntries, 'report'>;
  /** Unique for each running process. */
  readonly owner: string;
  /** Whether no other process works the list; then no leases are needed. */
  readonly isAlone?: boolean;
}

export interface ReactorOptions {
  readonly name: string;
  /** Names the whole projection; each of its partitions has such a list. */
  readonly list: CollectionName;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- reactors differ in their documents
  readonly collection: Pick<Collection<any, DomainEvent>, 'due'>;
  /** How many items may be in progress at the same time, in all partitions together. */
  readonly limits: QueueLimits;
  /** How many due items are kept in memory; there is a default. */
  readonly maxWaiting?: number;
  /** How long items in progress may take at shutdown before they are cut off, in ms. */
  readonly drainMs: number;
  /**
   * Works one item. `abort` cuts it off. Must believe only that something is due, and take everything else from the
   * stream. May move the slot to the group that the item really belongs to.
   *
   * @returns the position of the last event it appended, or null.
   * @throws ForgedEntryError if the log does not confirm the item. It is then set aside, like one whose stream is
   * damaged.
   */
  readonly perform: (item: ToDoItem, slot: Slot, abort: AbortSignal) => Promise<bigint | null>;
}

/**
 * Does the work on a to-do list. One process at a time holds the lease of each partition of the list, keeps its due
 * items in memory, and works as many of them at the same time as `limits` allow, fairly. An incomplete list is never
 * worked. While the read store is unavailable, items in progress continue, and queued ones are started as long as the
 * lease is certainly held.
 */
export class Reactor implements Worker {
  readonly name: string;
  private readonly queue: FairQueue<ToDoItem>;
  /** The lists that are followed, each with its work in progress. */
  private readonly followed = new Map<ToDoItems, Set<Promise<void>>>();
  private readonly units: readonly (SharedUnit & { readonly list: CollectionName })[];
  private readonly wakeSignals = new Map<string, WakeSignal>();
  private abort = new AbortController();
  private isStarting = false;

  constructor(
    private readonly deps: ReactorDependencies,
    private readonly options: ReactorOptions,
  ) {
    const { name, list } = options;
    this.name = name;
    this.queue = new FairQueue(options.limits, options.maxWaiting);
    const lists = (deps.partitions ?? ONE_PARTITION).collections(list);
    this.units = lists.map((own) => {
      const { projection } = own;
      return { name: projection, lease: `reactor/${name}/${projection}`, group: `reactors/${name}`, list: own };
    });
    for (const { projection } of lists) this.wakeSignals.set(projection, new WakeSignal(deps.clock));
    deps.progress.onAdvanced((projection) => this.wakeSignals.get(projection)?.wake());
    deps.progress.onTrouble((projection) => this.wakeSignals.get(projection)?.wake());
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, isAlone = false } = this.deps;
    const { drainMs } = this.options;
    this.abort = new AbortController();
    const ended = new AbortController();
    const drain = async () => {
      await clock.sleep(drainMs, ended.signal);
      this.abort.abort();
    };
    const beginDrain = () => void drain();
    signal.addEventListener('abort', beginDrain, { once: true });
    try {
      if (isAlone) await this.followAll(signal);
      else await this.sharing().run(signal);
    } finally {
      ended.abort();
      this.abort.abort();
      signal.removeEventListener('abort', beginDrain);
    }
  }

  private async followAll(signal: AbortSignal): Promise<void> {
    const failed = new AbortController();
    const stop = AbortSignal.any([signal, failed.signal]);
    const following = this.units.map(({ list }) =>
      this.follow(list, stop, () => true).catch((error) => {
        failed.abort();
        throw error;
      }),
    );
    await Promise.allSettled(following);
    await Promise.all(following);
  }

  private sharing(): LeasedPartitions<(typeof this.units)[number]> {
    const { drainMs } = this.options;
    // Longer than `drainMs`, so that others take over only after items in progress were cut off.
    const deps = { ...this.deps, drainMs: drainMs + RECONNECT_AFTER_MS, left: () => undefined };
    return new LeasedPartitions(this.name, this.units, {
      ...deps,
      start: ({ list }, isHeld) => this.start(list, isHeld),
    });
  }

  private start(list: CollectionName, isHeld: () => boolean): UnitRunner {
    const supervisor = new Supervisor(this.deps);
    supervisor.start([{ name: this.name, run: (signal) => this.follow(list, signal, isHeld) }]);
    return supervisor;
  }

  /** Keeps the due items of one list in the queue until `stop` is aborted, then waits for items in progress. */
  private async follow(list: CollectionName, stop: AbortSignal, isHeld: () => boolean): Promise<void> {
    const { readStore, progress, clock } = this.deps;
    const { projection } = list;
    const due = (document: Document) => this.options.collection.due?.(document) ?? null;
    const mayBegin = () => !stop.aborted && isHeld() && progress.isComplete(projection);
    const items = new ToDoItems(this.queue, clock, due, mayBegin);
    const feed = new ToDoFeed(items, {
      list,
      readStore,
      clock,
      queue: this.queue,
      position: () => progress.position(projection),
    });
    const wakeSignal = this.wakeSignals.get(projection) ?? new WakeSignal(clock);
    const tellAway = this.outageTeller();
    const inHand = new Set<Promise<void>>();
    this.followed.set(items, inHand);
    try {
      while (!stop.aborted) {
        const version = progress.completeVersion(projection);
        if (version === null) feed.forget();
        try {
          const waitMs = version === null ? LOOK_EVERY_MS : await feed.read(version);
          this.beginWork();
          await wakeSignal.wait(waitMs, stop);
        } catch (error) {
          if (!(error instanceof ReadStoreUnavailableError)) throw error;
          tellAway(error, stop);
          await clock.sleep(RECONNECT_AFTER_MS, stop);
        }
      }
    } finally {
      feed.forget();
      await Promise.all(inHand);
      this.followed.delete(items);
    }
  }

  /** Starts all items that may start now. */
  private beginWork(): void {
    if (this.isStarting) return;
    this.isStarting = true;
    for (;;) {
      const next = this.queue.next(({ items }) => items.mayBegin());
      if (next === null) break;
      const { item, slot } = next;
      item.items.begun(item);
      const inHand = this.followed.get(item.items);
      const work = this.work(item, slot).finally(() => {
        inHand?.delete(work);
        this.beginWork();
      });
      inHand?.add(work);
    }
    this.isStarting = false;
  }

  private async work(item: ToDoItem, slot: Slot): Promise<void> {
    try {
      item.items.finished(item, await this.perform(item, slot));
    } catch (error) {
      item.items.failed(item);
      this.tellFailure(item, error);
    } finally {
      slot.leave();
    }
  }

  private async perform(item: ToDoItem, slot: Slot): Promise<Performed> {
    const { damaged, forged } = this.deps;
    try {
      return await this.options.perform(item, slot, this.abort.signal);
    } catch (error) {
      if (error instanceof DamagedHistoryError) damaged.report(error);
      else if (error instanceof ForgedEntryError) forged.report(this.options.list.collection, item.key, error.reason);
      else throw error;
      return 'set aside';
    }
  }

  private tellFailure({ key }: ToDoItem, error: unknown): void {
    const { clock, logger } = this.deps;
    const { name } = this;
    const failure = { message: 'an item could not be worked on', fields: { worker: name, item: key } };
    // Transient errors affect all items alike; anything else is a fault of this item.
    const kind = isPassing(error)
      ? ({ level: 'warn', about: name, isForeseen: true } as const)
      : ({ level: 'error', about: `${name} ${key}` } as const);
    failureLog({ clock, logger }).failed({ ...failure, ...kind }, error);
  }

  private outageTeller(): (error: ReadStoreUnavailableError, stop: AbortSignal) => void {
    const { clock, logger } = this.deps;
    let failedAtMs = -Infinity;
    return (error, stop) => {
      if (clock.monotonicMs() - failedAtMs > OUTAGE_OVER_MS && !stop.aborted) {
        logger.warn('due work waits for the read store', { worker: this.name, reason: errorReason(error) });
      }
      failedAtMs = clock.monotonicMs();
    };
  }
}

/** A store is unavailable, or too many writers contend for one stream: the item's next attempt may succeed. */
function isPassing(error: unknown): boolean {
  return [EventStoreUnavailableError, ReadStoreUnavailableError, ContentionError].some((kind) => error instanceof kind);
}
