import { EventStoreUnavailableError } from '@app/kernel';
import { ManualClock, RecordingLogger, settle } from '@app/runtime/testing';
import { MemoryReadStore } from '@app/storage/memory/read-store';
import { ProjectionProgress } from './progress';
import { ToDoWorker } from './to-do-worker';

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
