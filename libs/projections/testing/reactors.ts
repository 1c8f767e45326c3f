import {
  type Collection,
  type Document,
  type DomainEvent,
  type Due,
  dueAtOnce,
  dueOn,
  type ListEntry,
  type PageRequest,
  type ProjectionVersion,
  ReadStoreUnavailableError,
  SlotPool,
  toDoEntries,
  type ToDoItem,
} from '@app/event-sourcing';
import { ManualClock, RecordingFindings, RecordingLogger, SeededRandom } from '@app/platform/testing';
import { MemoryReadStore } from '@app/stores/testing/memory-read-store';
import { ProjectionProgress } from '../progress';
import { Reactor, type ReactorOptions } from '../reactor';

export const LIST = { projection: 'work', collection: 'items' };
export const START_MS = Date.UTC(2030, 0, 1);

/** A read store that can be taken away for a while. */
export class LeavingReadStore extends MemoryReadStore {
  isAway = false;
  pages = 0;

  override async page(request: PageRequest) {
    this.pages += 1;
    if (this.isAway) throw new ReadStoreUnavailableError('away');
    return super.page(request);
  }

  override async lease(...args: Parameters<MemoryReadStore['lease']>) {
    if (this.isAway) throw new ReadStoreUnavailableError('away');
    return super.lease(...args);
  }
}

/** What an item's work is told to come to. */
interface InHand {
  readonly item: ToDoItem;
  readonly abort: AbortSignal;
  done(position: bigint | null): void;
  fail(error: Error): void;
}

/** Stores when it is due beside what it is. */
interface ItemDocument extends Document {
  readonly due: Due;
}

const collection: Pick<Collection<ItemDocument, DomainEvent>, 'due'> = { due: ({ due }) => due };

/** A to-do list as its projection writes it, one event a commit. */
export class WrittenList {
  readonly readStore = new LeavingReadStore();
  private version: ProjectionVersion | null = null;
  private readonly watchers: ProjectionProgress[] = [];

  /** Whether those who watch hear of commits at once. */
  isTold = true;

  async open(): Promise<this> {
    this.version = await this.readStore.open(LIST.projection, { declaredVersion: 1, head: null, nowMs: 1 });
    return this;
  }

  get position(): bigint {
    return this.version?.checkpoint?.position ?? 0n;
  }

  watchedBy(progress: ProjectionProgress): void {
    this.watchers.push(progress);
    this.tell();
  }

  /** @returns the event's position */
  async write(key: string, due: Due | null, ...others: readonly ListEntry[]): Promise<bigint> {
    const position = this.position + 1n;
    await this.commit(position, [
      {
        collection: LIST.collection,
        key,
        document: due === null ? null : { due },
        listEntries: due === null ? [] : [...toDoEntries(due, position), ...others],
      },
    ]);
    return position;
  }

  /** As if each were of an event of its own. */
  async writeMany(items: ReadonlyMap<string, Due>): Promise<void> {
    const from = this.position;
    const writes = [...items].map(([key, due], index) => ({
      collection: LIST.collection,
      key,
      document: { due },
      listEntries: toDoEntries(due, from + BigInt(index + 1)),
    }));
    await this.commit(from + BigInt(items.size), writes);
  }

  tell(): void {
    if (this.version !== null) for (const progress of this.watchers) progress.advanced(this.version);
  }

  private async commit(position: bigint, writes: Parameters<MemoryReadStore['commit']>[0]['writes']): Promise<void> {
    if (this.version === null) throw new Error('open() comes first');
    const next = { position, lastEvent: null, events: Number(position) };
    const { checkpoint: expected } = this.version;
    expect(await this.readStore.commit({ ...this.version, expected, next, writes })).toBe('committed');
    this.version = { ...this.version, checkpoint: next };
    if (this.isTold) this.tell();
  }
}

/** One process's reactor; whoever tests decides when each item is done. */
export class TestedReactor {
  readonly progress = new ProjectionProgress();
  readonly logger = new RecordingLogger();
  readonly findings = new RecordingFindings();
  readonly inHand = new Map<string, InHand>();
  /** The keys, in the order in which they were begun. */
  readonly started: string[] = [];
  readonly stop = new AbortController();
  private readonly reactor: Reactor;
  private ended: Promise<unknown> = Promise.resolve();

  constructor(
    list: WrittenList,
    readonly clock: ManualClock,
    {
      slots = 2,
      owner = 'one',
      isAlone = true,
      ...options
    }: Partial<ReactorOptions> & { slots?: number; owner?: string; isAlone?: boolean } = {},
  ) {
    const { progress, logger, findings } = this;
    const pool = new SlotPool({ slots, share: 1_000 });
    const random = new SeededRandom();
    this.reactor = new Reactor(
      { readStore: list.readStore, progress, clock, random, logger, ...findings, owner, isAlone },
      {
        name: 'worker',
        list: LIST,
        collection,
        limits: { poolsOf: () => [pool], ofGroup: () => Infinity },
        drainMs: 5_000,
        perform: (item, _place, abort) => {
          this.started.push(item.key);
          return new Promise((done, fail) => this.inHand.set(item.key, { item, abort, done, fail }));
        },
        ...options,
      },
    );
    list.watchedBy(progress);
  }

  run(): Promise<unknown> {
    this.ended = this.reactor.run(this.stop.signal).then(
      () => 'ended',
      (error: unknown) => error,
    );
    return this.ended;
  }

  done(key: string, position: bigint | null): void {
    this.inHand.get(key)?.done(position);
    this.inHand.delete(key);
  }

  async end(): Promise<void> {
    this.stop.abort();
    for (const key of [...this.inHand.keys()]) this.done(key, null);
    await this.clock.advance(10_000);
    await this.ended;
  }
}

/** What has to be ended after a test. */
const ends: (() => Promise<void>)[] = [];

export function endAfterwards(reactor: TestedReactor): void {
  ends.push(() => reactor.end());
}

/** For after each test. */
export async function endReactors(): Promise<void> {
  for (const end of ends.splice(0)) await end();
}

/** A list, and a reactor that works it once it is run. */
export async function setUp(options: ConstructorParameters<typeof TestedReactor>[2] = {}) {
  const clock = new ManualClock(START_MS);
  const list = await new WrittenList().open();
  const reactor = new TestedReactor(list, clock, options);
  endAfterwards(reactor);
  return { clock, list, reactor };
}

export const now = (sinceMs = START_MS, group = ''): Due => ({ ...dueAtOnce(sinceMs), group });
export const on = (dueAtMs: number, group = ''): Due => ({ ...dueOn(dueAtMs), group });
