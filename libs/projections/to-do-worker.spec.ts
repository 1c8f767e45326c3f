import {
  type ClaimedItem,
  type ClaimRequest,
  ContentionError,
  EventStoreUnavailableError,
  ReadStoreUnavailableError,
} from '@app/kernel';
import { ManualClock, RecordingFindings, RecordingLogger, settle } from '@app/runtime/testing';
import { MemoryReadStore } from '@app/storage/memory/read-store';
import { Partitions } from './partitions';
import { ProjectionProgress } from './progress';
import { type GroupSlots, ToDoWorker } from './to-do-worker';

const LIST = { projection: 'p', collection: 'toDo' };

/** A read store that can be taken away for a while. */
class LeavingReadStore extends MemoryReadStore {
  isAway = false;

  override async claim(request: ClaimRequest) {
    if (this.isAway) throw new ReadStoreUnavailableError('away');
    return super.claim(request);
  }
}

async function withOneDue(perform: () => Promise<bigint | null>) {
  const [readStore, clock, logger, progress] = [
    new LeavingReadStore(),
    new ManualClock(),
    new RecordingLogger(),
    new ProjectionProgress(),
  ];
  const version = await readStore.open('p', { declaredVersion: 1, head: null, nowMs: 1 });
  const due = { dueAtMs: clock.nowMs(), group: '' };
  const write = { collection: 'toDo', key: 'one', document: {}, due, places: [] };
  const next = { position: 1n, lastEvent: null, events: 0 };
  const { version: number, declaredVersion, checkpoint: expected } = version;
  await readStore.commit({ projection: 'p', version: number, declaredVersion, expected, next, writes: [write] });
  progress.advanced({ ...version, checkpoint: next });
  const findings = new RecordingFindings();
  const options = { name: 'worker', list: LIST, concurrency: 1, drainMs: 1_000, perform };
  const worker = new ToDoWorker({ readStore, clock, logger, progress, ...findings, owner: 'o' }, options);
  const stop = new AbortController();
  const start = () => worker.run(stop.signal);
  return { readStore, clock, logger, findings, stop, start };
}

async function recordsWithOneDue(perform: () => Promise<bigint | null>) {
  const { start, stop, clock, logger } = await withOneDue(perform);
  const running = start();
  await settle();
  stop.abort();
  await clock.advance(5_000);
  await running;
  return logger;
}

describe('ToDoWorker', () => {
  it('tells of an item that failed, with the error', async () => {
    const error = new Error('broken');
    const { records } = await recordsWithOneDue(() => Promise.reject(error));
    expect(records).toMatchObject([{ level: 'error', fields: { worker: 'worker', item: 'one' }, cause: error }]);
  });

  it('only warns, with the reason, when the event store is away', async () => {
    const error = new EventStoreUnavailableError('no node', { cause: new Error('refused') });
    const { records } = await recordsWithOneDue(() => Promise.reject(error));
    const reason = 'no node; caused by: refused';
    expect(records).toMatchObject([
      { level: 'warn', fields: { worker: 'worker', item: 'one', reason }, cause: undefined },
    ]);
  });

  it('only warns when others write to the same stream all the time', async () => {
    const { records } = await recordsWithOneDue(() =>
      Promise.reject(new ContentionError('payment-1', 'races lost: 9')),
    );
    expect(records).toMatchObject([
      { level: 'warn', fields: { item: 'one', reason: 'Stream payment-1 is too busy: races lost: 9' } },
    ]);
  });

  it('waits for a read store that is away, says so once, and works within a second of its return', async () => {
    let performed = 0;
    const { readStore, start, stop, clock, logger } = await withOneDue(async () => {
      performed += 1;
      return null;
    });
    readStore.isAway = true;
    const running = start();
    await clock.advance(30_000);
    const waiting = { level: 'warn', message: 'due work waits for the read store', fields: { worker: 'worker' } };
    expect(logger.records).toMatchObject([waiting]);
    readStore.isAway = false;
    await clock.advance(1_000);
    expect(performed).toBe(1);

    await clock.advance(20_000);
    readStore.isAway = true;
    await clock.advance(20_000);
    expect(logger.records).toMatchObject([waiting, waiting]);
    stop.abort();
    await clock.advance(5_000);
    await running;
  });
});

describe('a list in parts', () => {
  const partitions = new Partitions(3);
  const merchants = Array.from({ length: 12 }, (_, number) => `m${number}`);
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  /** One item of each merchant, each in its merchant's part. */
  async function setUp(isShared: boolean, groupOf = (merchant: string) => `${merchant}|x`) {
    const [readStore, clock, logger, progress] = [
      new MemoryReadStore(),
      new ManualClock(),
      new RecordingLogger(),
      new ProjectionProgress(),
    ];
    for (const [index, projection] of partitions.names('p').entries()) {
      const version = await readStore.open(projection, { declaredVersion: 1, head: null, nowMs: 1 });
      const next = { position: 1n, lastEvent: null, events: 0 };
      const own = merchants.filter((merchant) => partitions.indexOf(merchant) === index);
      const writes = own.map((merchant) => {
        const due = { dueAtMs: clock.nowMs(), group: groupOf(merchant) };
        return { collection: 'toDo', key: merchant, document: { merchant }, due, places: [] };
      });
      await readStore.commit({ ...version, expected: null, next, writes });
      progress.advanced({ ...version, checkpoint: next });
    }
    const done: string[] = [];
    const perform = async (item: ClaimedItem) => {
      done.push(item.key);
      return 2n;
    };
    const share = async (free: number, nowMs: number): Promise<readonly GroupSlots[]> => {
      const groups: readonly string[] = await worker.dueGroups(nowMs, 100, 1);
      return groups.slice(0, free).map((group) => ({ group, limit: 1 }));
    };
    const options = { name: 'worker', list: LIST, concurrency: 4, drainMs: 1_000, perform };
    const deps = { readStore, clock, logger, progress, partitions, ...new RecordingFindings(), owner: 'o' };
    const worker: ToDoWorker = new ToDoWorker(deps, isShared ? { ...options, share } : options);
    const stop = new AbortController();
    const running = worker.run(stop.signal);
    stops.push(async () => {
      stop.abort();
      await clock.advance(10_000);
      await running;
    });
    return { clock, done, logger, readStore };
  }

  it.each([false, true])('is worked off whole (shared out by group: %s)', async (isShared) => {
    const { clock, done } = await setUp(isShared);
    await clock.advance(3_000);
    expect([...done].sort()).toEqual([...merchants].sort());
  });

  it('is worked off whole where items stand in groups of merchants of another part', async () => {
    const { clock, done } = await setUp(true, (merchant) => `${merchants[(merchants.indexOf(merchant) + 1) % 12]}|x`);
    expect(
      merchants.some((merchant, at) => partitions.indexOf(merchant) !== partitions.indexOf(merchants[(at + 1) % 12]!)),
    ).toBe(true);
    await clock.advance(3_000);
    expect([...done].sort()).toEqual([...merchants].sort());
  });
});
