import { type ClaimedItem, EventStoreUnavailableError, ReadStoreUnavailableError } from '@app/kernel';
import { ManualClock, RecordingLogger, settle } from '@app/runtime/testing';
import { MemoryReadStore } from '@app/storage/memory/read-store';
import { Partitions } from './partitions';
import { ProjectionProgress } from './progress';
import { type GroupSlots, ToDoWorker } from './to-do-worker';

const LIST = { projection: 'p', collection: 'toDo' };

async function withOneDue(perform: () => Promise<bigint | null>): Promise<RecordingLogger> {
  const [readStore, clock, logger, progress] = [
    new MemoryReadStore(),
    new ManualClock(),
    new RecordingLogger(),
    new ProjectionProgress(),
  ];
  const version = await readStore.open('p', { codeHash: 'c', head: null, nowMs: 1 });
  const due = { dueAtMs: clock.nowMs(), group: '' };
  const write = { collection: 'toDo', key: 'one', document: {}, due, places: [] };
  const next = { position: 1n, lastEvent: null, events: 0 };
  const { version: number, codeHash, checkpoint: expected } = version;
  await readStore.commit({ projection: 'p', version: number, codeHash, expected, next, writes: [write] });
  progress.advanced({ ...version, checkpoint: next });
  const options = { name: 'worker', list: LIST, concurrency: 1, drainMs: 1_000, perform };
  const worker = new ToDoWorker({ readStore, clock, logger, progress, owner: 'o' }, options);
  const stop = new AbortController();
  const running = worker.run(stop.signal);
  await settle();
  stop.abort();
  await clock.advance(5_000);
  await running;
  return logger;
}

describe('ToDoWorker', () => {
  it('tells of an item that failed, with the error', async () => {
    const error = new Error('broken');
    const { records } = await withOneDue(() => Promise.reject(error));
    expect(records).toMatchObject([{ level: 'error', fields: { worker: 'worker', item: 'one' }, cause: error }]);
  });

  it('only warns, with the reason, when the event store is away', async () => {
    const error = new EventStoreUnavailableError('no node', { cause: new Error('refused') });
    const { records } = await withOneDue(() => Promise.reject(error));
    const reason = 'no node; caused by: refused';
    expect(records).toMatchObject([
      { level: 'warn', fields: { worker: 'worker', item: 'one', reason }, cause: undefined },
    ]);
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
  async function setUp(isShared: boolean) {
    const [readStore, clock, logger, progress] = [
      new MemoryReadStore(),
      new ManualClock(),
      new RecordingLogger(),
      new ProjectionProgress(),
    ];
    for (const [index, projection] of partitions.names('p').entries()) {
      const version = await readStore.open(projection, { codeHash: 'c', head: null, nowMs: 1 });
      const next = { position: 1n, lastEvent: null, events: 0 };
      const own = merchants.filter((merchant) => partitions.indexOf(merchant) === index);
      const writes = own.map((merchant) => {
        const due = { dueAtMs: clock.nowMs(), group: `${merchant}|x` };
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
    const deps = { readStore, clock, logger, progress, partitions, owner: 'o' };
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

  it('waits for a read store that is away, says so once, and goes on soon after it is back', async () => {
    const { clock, done, logger, readStore } = await setUp(true);
    const nextDueAtMs = readStore.nextDueAtMs.bind(readStore);
    readStore.nextDueAtMs = () => Promise.reject(new ReadStoreUnavailableError('away'));
    await clock.advance(60_000);
    const before = done.length;
    readStore.nextDueAtMs = nextDueAtMs;
    await clock.advance(20_000);
    expect(done.length).toBeGreaterThan(before);
    expect(logger.records.map(({ level, message }) => [level, message])).toEqual([
      ['warn', 'work waits for the read store'],
    ]);
  });
});
