import {
  type ClaimedItem,
  type Clock,
  type CollectionName,
  ContentionError,
  DamagedHistoryError,
  EventStoreUnavailableError,
  groupOwner,
  type Performed,
  type ReadStore,
  ReadStoreUnavailableError,
  runWorkList,
  type WorkListOptions,
} from '@app/kernel';
import {
  type DamagedStreams,
  errorReason,
  failureLog,
  type ForgedEntries,
  ForgedEntryError,
  type Logger,
  Nudge,
  type Worker,
} from '@app/runtime';
import { mergedTurns } from './merged-turns';
import { ONE_PARTITION, type Partitions } from './partitions';
import type { ProjectionProgress } from './progress';

/** Failures that lie further apart than this are told of as two outages. */
const OUTAGE_OVER_MS = 10_000;

export interface ToDoWorkerDependencies {
  readonly readStore: ReadStore;
  readonly progress: ProjectionProgress;
  /** In which parts the list is built; one when absent. */
  readonly partitions?: Partitions;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly damaged: Pick<DamagedStreams, 'report'>;
  readonly forged: Pick<ForgedEntries, 'report'>;
  /** Unique for each running process. */
  readonly owner: string;
}

/** How many items of one group may be begun. */
export interface GroupSlots {
  readonly group: string;
  readonly limit: number;
}

export interface ToDoWorkerOptions {
  readonly name: string;
  /** Named by its whole projection, of which each merchant's part has a list. Its items' groups are owned by merchants. */
  readonly list: CollectionName;
  /** Items worked on at the same time, of all parts together. */
  readonly concurrency: number;
  /** At shutdown, what is in hand may take this long before it is cut off. */
  readonly drainMs: number;
  /** How the free places are shared out; by default the longest due items take them. */
  readonly share?: (free: number, nowMs: number) => Promise<readonly GroupSlots[]>;
  /**
   * Works on one item; answers with the position of the last event it appended, or null. `hurry` cuts it off. Of the item
   * it believes that something is due, and nothing else.
   *
   * @throws ForgedEntryError where the log does not bear it out. It is set aside then, like one whose stream is damaged.
   */
  readonly perform: (item: ClaimedItem, hurry: AbortSignal) => Promise<bigint | null>;
}

/**
 * Works a projected to-do list off: woken by every commit of its projection, and never before the list is complete. What is in
 * hand goes on while the read store is away.
 */
export class ToDoWorker implements Worker {
  readonly name: string;
  private readonly nudge: Nudge;
  private readonly partitions: Partitions;
  private readonly lists: readonly CollectionName[];
  /** Where a group was found due. Its items are in its merchant's part, unless somebody else has written to the list. */
  private foundIn: ReadonlyMap<string, readonly CollectionName[]> = new Map();

  constructor(
    private readonly deps: ToDoWorkerDependencies,
    private readonly options: ToDoWorkerOptions,
  ) {
    this.name = options.name;
    this.nudge = new Nudge(deps.clock);
    this.partitions = deps.partitions ?? ONE_PARTITION;
    this.lists = this.partitions.collections(options.list);
    const projections = new Set(this.lists.map(({ projection }) => projection));
    deps.progress.onAdvanced((projection) => {
      if (projections.has(projection)) this.nudge.wake();
    });
  }

  /** Groups with something due, at most `perOwner` of a merchant, as `ReadStore.dueGroups` orders them, but for the order between parts. */
  async dueGroups(nowMs: number, limit: number, perOwner: number): Promise<readonly string[]> {
    const { readStore } = this.deps;
    const lists = this.lists.filter((list) => this.isComplete(list));
    const groups = await Promise.all(lists.map((list) => readStore.dueGroups(list, nowMs, limit, perOwner)));
    const foundIn = new Map<string, readonly CollectionName[]>();
    for (const [index, list] of lists.entries()) {
      for (const group of groups[index] ?? []) foundIn.set(group, [...(foundIn.get(group) ?? []), list]);
    }
    this.foundIn = foundIn;
    return mergedTurns(groups, limit);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { readStore, progress, clock, logger, owner } = this.deps;
    const { name, list, drainMs, share, concurrency } = this.options;
    const ended = new AbortController();
    const hurry = new AbortController();
    const drain = async () => {
      await clock.sleep(drainMs, ended.signal);
      hurry.abort();
    };
    const beginDrain = () => void drain();
    signal.addEventListener('abort', beginDrain, { once: true });
    const wiring = {
      readStore,
      clock,
      owner,
      lists: this.lists,
      concurrency,
      perform: (item: ClaimedItem, hurried: AbortSignal) => this.perform(item, hurried),
      isComplete: (part: CollectionName) => this.isComplete(part),
      wait: (ms: number, stop: AbortSignal) => this.nudge.wait(ms, stop),
      wake: () => this.nudge.wake(),
      reached: async ({ projection }: CollectionName, position: bigint, limitMs: number) => {
        const limit = clock.deadline(limitMs);
        await progress.reached(projection, position, limit.signal);
        limit.clear();
      },
      readStoreAway: this.outageTeller(signal),
      ...(share === undefined ? {} : { share: this.sharing(share, list) }),
      failed: (item: ClaimedItem, error: unknown) => {
        const failure = { message: 'an item could not be worked on', fields: { worker: name, item: item.key } };
        // These are what the lease is for, and come to all items alike; anything else is the item's own, and a fault.
        const kind = isPassing(error)
          ? ({ level: 'warn', about: name, isForeseen: true } as const)
          : ({ level: 'error', about: `${name} ${item.key}` } as const);
        failureLog({ clock, logger }).failed({ ...failure, ...kind }, error);
      },
    };
    try {
      await runWorkList(wiring, signal, hurry.signal);
    } finally {
      ended.abort();
      signal.removeEventListener('abort', beginDrain);
    }
  }

  private async perform(item: ClaimedItem, hurry: AbortSignal): Promise<Performed> {
    const { damaged, forged } = this.deps;
    try {
      return await this.options.perform(item, hurry);
    } catch (error) {
      if (error instanceof DamagedHistoryError) damaged.report(error);
      else if (error instanceof ForgedEntryError) forged.report(this.options.list.collection, item.key, error.reason);
      else throw error;
      return 'set aside';
    }
  }

  private isComplete({ projection }: CollectionName): boolean {
    return this.deps.progress.isComplete(projection);
  }

  private sharing(share: NonNullable<ToDoWorkerOptions['share']>, list: CollectionName) {
    return async (free: number, nowMs: number) => {
      const slots = await share(free, nowMs);
      return slots.flatMap(({ group, limit }) => {
        const lists = this.foundIn.get(group) ?? [this.partitions.collectionFor(list, groupOwner(group))];
        return lists.map((part) => ({ list: part, group, limit }));
      });
    };
  }

  private outageTeller(signal: AbortSignal): WorkListOptions['readStoreAway'] {
    const { clock, logger } = this.deps;
    let failedAtMs = -Infinity;
    return (error) => {
      if (clock.monotonicMs() - failedAtMs > OUTAGE_OVER_MS && !signal.aborted) {
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
