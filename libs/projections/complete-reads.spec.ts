import { type ProjectionVersion, ReadStoreUnavailableError } from '@app/event-sourcing';
import { noteStop } from '@app/event-sourcing/testing/stops';
import { ManualClock } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { MemoryReadStore } from '@app/stores/testing/memory-read-store';
import { CompleteReads } from './complete-reads';
import { ProjectionProgress } from './progress';

const NAME = { projection: 'p', collection: 'c' };
const EVENT = { type: 'T', data: '{}', metadata: '{}' };

/** A projection whose active version says `of: old`, and a log of two events, of which it has the first. */
async function setUp() {
  const [eventStore, readStore, progress] = [new MemoryEventStore(), new MemoryReadStore(), new ProjectionProgress()];
  const clock = new ManualClock();
  const { position: first } = await eventStore.append('s-1', 'no-stream', [{ id: '1', ...EVENT }]);
  const { position: second } = await eventStore.append('s-1', 0, [{ id: '2', ...EVENT }]);
  const write = async (version: ProjectionVersion, position: bigint, of: string) => {
    const next = { position, lastEvent: null, events: 1 };
    const writes = [{ collection: 'c', key: 'k', document: { of }, listEntries: [] }];
    const { version: number, declaredVersion, checkpoint: expected } = version;
    await readStore.commit({ projection: 'p', version: number, declaredVersion, expected, next, writes });
    return { ...version, checkpoint: next };
  };
  const opened = await readStore.open('p', { declaredVersion: 1, head: first, nowMs: 1 });
  progress.advanced(await write(opened, first, 'old'));
  const build = async (declaredVersion: number) => {
    const begun = await readStore.beginBuild('p', { declaredVersion, head: second, nowMs: 1 });
    return write(begun as ProjectionVersion, second, 'new');
  };
  const reads = new CompleteReads(eventStore, readStore, progress, clock);
  const read = async (): Promise<unknown> => (await readStore.getMany(NAME, ['k']))[0];
  return { readStore, clock, reads, read, build, progress, second };
}

describe('a read of one whole version', () => {
  it('is repeated when a rebuilt one takes its place in the middle', async () => {
    const { readStore, reads, read, build } = await setUp();
    const { version } = await build(2);
    const seen: unknown[] = [];
    const answer = await reads.of('p', async () => {
      const result = await read();
      seen.push(result);
      if (seen.length === 1) await readStore.activate('p', version);
      return result;
    });
    expect([seen, answer]).toEqual([[{ of: 'old' }, { of: 'new' }], { of: 'new' }]);
  });

  it('is refused while it stands still at an event, whoever hears of that first', async () => {
    const { readStore, reads, read, progress, second } = await setUp();
    const version = (await readStore.versions('p')).active!;
    const stop = {
      position: second,
      event: { id: '2', type: 'T', streamId: 's-1', revision: 1 },
      reason: 'no',
      atMs: 1,
    };
    await noteStop(readStore, 'p', version.version, stop);
    expect(await reads.of('p', read)).toBe('rebuilding');
    progress.advanced({ ...version, stop });
    expect(await reads.of('p', read)).toBe('rebuilding');
    // Without waiting for what won't come.
    expect(await reads.ofNow('p', read)).toBe('rebuilding');
    expect(progress.isCurrent('p')).toBe(false);
    await noteStop(readStore, 'p', version.version, null);
    progress.advanced(version);
    expect(await reads.of('p', read)).toEqual({ of: 'old' });
    expect(progress.isCurrent('p')).toBe(true);
  });

  it('asks the store that could not be asked before: it tells that it is away, or of what is whole, and no older than it was', async () => {
    const { readStore, reads, read, progress } = await setUp();
    progress.outOfSight('p');
    const versions = readStore.versions.bind(readStore);
    const away = () => Promise.reject(new ReadStoreUnavailableError('away'));
    readStore.versions = away;
    await expect(reads.of('p', read)).rejects.toThrow(ReadStoreUnavailableError);
    await expect(reads.ofNow('p', read)).rejects.toThrow(ReadStoreUnavailableError);
    readStore.versions = versions;
    expect(await reads.of('p', read)).toEqual({ of: 'old' });
    const { version, ...rest } = (await versions('p')).active!;
    const tell = (active: ProjectionVersion | null) => {
      readStore.versions = async () => ({ active, building: null });
    };
    tell({ ...rest, version, checkpoint: null });
    expect(await reads.of('p', read)).toBe('rebuilding');
    tell({ ...rest, version: version + 1, checkpoint: null });
    expect(await reads.of('p', read)).toBe('rebuilding');
    tell(null);
    expect(await reads.of('p', read)).toBe('rebuilding');
  });

  it('is refused when they never stop taking each other’s place', async () => {
    const { readStore, reads, read, build } = await setUp();
    let reading = 0;
    const answer = await reads.of('p', async () => {
      reading += 1;
      await readStore.activate('p', (await build(2)).version);
      return read();
    });
    expect([answer, reading]).toEqual(['rebuilding', 3]);
  });
});

describe('a read of everything that was stored before', () => {
  it('waits for it, and is refused when it does not come', async () => {
    const { clock, reads, read } = await setUp();
    const answer = reads.ofNow('p', read);
    await clock.advance(5_000);
    expect(await answer).toBe('rebuilding');
  });

  it('gets what is there, at once, while other code builds what will be read: nobody goes on with it', async () => {
    const { clock, reads, read, build } = await setUp();
    await build(2);
    expect(await reads.ofNow('p', read)).toEqual({ of: 'old' });
    expect(clock.pending).toBe(0);
  });

  it('waits while the same code builds it again, as it goes on with what is read', async () => {
    const { clock, reads, read, build } = await setUp();
    await build(1);
    const answer = reads.ofNow('p', read);
    await clock.advance(4_000);
    expect(clock.pending).toBe(1);
    await clock.advance(1_000);
    expect(await answer).toBe('rebuilding');
  });

  it('gets what is there when the other code begins to build while it waits', async () => {
    const { clock, reads, read, build } = await setUp();
    const answer = reads.ofNow('p', read);
    await clock.advance(1_000);
    await build(2);
    await clock.advance(4_000);
    expect(await answer).toEqual({ of: 'old' });
  });
});
