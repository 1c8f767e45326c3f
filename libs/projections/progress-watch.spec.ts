import { type ProjectionVersion, ReadStoreUnavailableError } from '@app/event-sourcing';
import { ManualClock, RecordingLogger, settle } from '@app/platform/testing';
import { MemoryReadStore } from '@app/stores/testing/memory-read-store';
import { ProjectionProgress } from './progress';
import { ProgressWatch } from './progress-watch';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function setUp() {
  const clock = new ManualClock();
  const readStore = new MemoryReadStore();
  const progress = new ProjectionProgress();
  const logger = new RecordingLogger();
  const advances: string[] = [];
  progress.onAdvanced((projection) => advances.push(projection));
  const stop = new AbortController();
  const running = new ProgressWatch(['p', 'q'], { readStore, progress, clock, logger }).run(stop.signal);
  stops.push(async () => {
    stop.abort();
    await running;
  });
  const open = (projection: string) => readStore.open(projection, { declaredVersion: 1, head: 1n, nowMs: 1 });
  const commit = async (version: ProjectionVersion, position: bigint): Promise<ProjectionVersion> => {
    const next = { position, lastEvent: null, events: 1 };
    await readStore.commit({ ...version, expected: version.checkpoint, next, writes: [] });
    return { ...version, checkpoint: next };
  };
  const reached = (projection: string, position: bigint) => {
    let isReached = false;
    void progress.reached(projection, position, new AbortController().signal).then(() => (isReached = true));
    return async () => {
      await settle();
      return isReached;
    };
  };
  return { clock, readStore, progress, logger, advances, open, commit, reached };
}

/** A read store without hints: a message may be lost. */
function withoutHints(readStore: MemoryReadStore): void {
  readStore.onAdvanced = () => () => true;
}

describe('ProgressWatch', () => {
  it('notices what another process commits within a quarter of a second', async () => {
    const { clock, readStore, progress, open, commit, reached, advances } = setUp();
    withoutHints(readStore);
    await settle();
    expect(progress.isComplete('p')).toBe(false);
    const version = await open('p');
    await clock.advance(250);
    expect(progress.isComplete('p')).toBe(false);
    const isReached = reached('p', 2n);
    const first = await commit(version, 1n);
    await clock.advance(250);
    expect([progress.isComplete('p'), await isReached()]).toEqual([true, false]);
    await commit(first, 2n);
    await clock.advance(250);
    expect(await isReached()).toBe(true);
    const told = advances.length;
    await clock.advance(10_000);
    // Nothing has changed, so no listener is called.
    expect(advances).toHaveLength(told);
  });

  it('reports at its first look which projections do not exist or are unknown', async () => {
    const { progress, readStore, clock, open } = setUp();
    const lost: string[] = [];
    progress.onTrouble((projection) => lost.push(projection));
    await settle();
    expect(lost).toEqual(['p', 'q']);
    await open('p');
    await clock.advance(250);
    readStore.versions = () => Promise.reject(new ReadStoreUnavailableError('away'));
    await clock.advance(250);
    expect(lost).toEqual(['p', 'q', 'p', 'q']);
    await clock.advance(500);
    expect(lost).toHaveLength(4);
  });

  it('notices a commit at once after a hint', async () => {
    const { open, commit, reached } = setUp();
    await settle();
    const isReached = reached('p', 7n);
    await commit(await open('p'), 7n);
    expect(await isReached()).toBe(true);
  });

  it('reports all projections as unknown while the read store is unavailable, logs that once, and recovers', async () => {
    const { clock, readStore, progress, open, commit, logger } = setUp();
    await commit(await open('p'), 1n);
    await clock.advance(250);
    expect(progress.isComplete('p')).toBe(true);
    const versions = readStore.versions.bind(readStore);
    readStore.versions = () => Promise.reject(new ReadStoreUnavailableError('away'));
    await clock.advance(250);
    expect([progress.isComplete('p'), progress.problem('p')]).toEqual([false, 'the read store is unavailable']);
    await clock.advance(5_000);
    readStore.versions = versions;
    await clock.advance(250);
    expect([progress.isComplete('p'), progress.problem('p')]).toEqual([true, null]);
    expect(progress.problem('q')).toBe('it is being built');
    expect(logger.records.map(({ message }) => message)).toEqual([
      'the progress of projections is unknown: the read store is unavailable',
    ]);
  });

  it('notices when a read model is lost', async () => {
    const { clock, readStore, progress, open, commit } = setUp();
    await commit(await open('p'), 1n);
    await clock.advance(250);
    readStore.versions = async () => ({ active: null, building: null });
    await clock.advance(250);
    expect(progress.isComplete('p')).toBe(false);
  });
});
