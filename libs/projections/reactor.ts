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

/** A list that is not complete is looked at this often. */
const LOOK_EVERY_MS = 1_000;
/** A pause after the read store was away, too short to leave what is due undone for long once it is back. */
const RECONNECT_AFTER_MS = 500;
/** The next failure after so long without one is another outage. */
const OUTAGE_OVER_MS = 10_000;

export interface ReactorDependencies {
  readonly readStore: ReadStore;
  readonly progress: ProjectionProgress;
  /** In which parts the list is built; one when absent. */
  readonly partitions?: Partitions;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly damaged: Pick<DamagedStreams, 'report'>;
  readonly forged: Pick<ForgedEntries, 'report'>;
  /** Unique for each running process. */
  readonly owner: string;
  /** Whether no other process works the list: then no leases are needed. */
  readonly isAlone?: boolean;
}

export interface ReactorOptions {
  readonly name: string;
  /** Named by its whole projection, of which each merchant's partition has a list. */
  readonly list: CollectionName;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- reactors differ in their documents
  readonly collection: Pick<Collection<any, DomainEvent>, 'due'>;
  /** How much may be in hand at the same time, of all partitions together. */
  readonly limits: QueueLimits;
  /** How many due items are kept in memory; there is a default. */
  readonly maxWaiting?: number;
  /** At shutdown, what is in hand may take this long before it is cut off, in ms. */
  readonly drainMs: number;
  /**
   * Works on one item; answers with the position of the last event it appended, or null. `abort` cuts it off. Of the item
   * it believes that something is due, and nothing else. The slot may be moved to the group that the item truly belongs to.
   *
   * @throws ForgedEntryError where the log does not bear it out. It is set aside then, like one whose stream is damaged.
   */
  readonly perform: (item: ToDoItem, slot: Slot, abort: AbortSignal) => Promise<bigint | null>;
}

/**
 * Does the work that a to-do list asks for. Of processes that do the same, one at a time holds the lease of a partition of the list,
 * keeps what is due of it in memory, and works on as much of it side by side as `limits` allow, fairly. A list that is not complete is never
 * worked. What is in hand goes on while the read store is away, and so does what is queued for as long as the lease is certain.
 */
export class Reactor implements Worker {
  readonly name: string;
  private readonly queue: FairQueue<ToDoItem>;
  /** What is known of each list that is followed, and the work that it has in hand. */
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
    this.units = lists.map((part) => {
      const { projection } = part;
      return { name: projection, lease: `reactor/${name}/${projection}`, group: `reactors/${name}`, list: part };
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
    // Beyond the time at which what is in hand is cut off, so that others take over what is undone only when it is.
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

  /** Keeps what is due of one list in the queue until `stop` is aborted, and then finishes what is in hand. */
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

  /** Begins with all that may begin now. */
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
    // Passing ones come to all items alike; anything else is the item's own, and a fault.
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

/** A store is away, or too many write to one stream at the same time, other processes among them: the item's next turn finds it well. */
function isPassing(error: unknown): boolean {
  return [EventStoreUnavailableError, ReadStoreUnavailableError, ContentionError].some((kind) => error instanceof kind);
}
