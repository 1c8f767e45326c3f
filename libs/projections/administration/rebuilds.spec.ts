import { ReadStoreUnavailableError } from '@app/event-sourcing';
import { done, refusal, setUp, stopAll } from '@app/projections/testing/administered';

afterEach(stopAll);

describe.each([[['totals']], [['totals:0/2', 'totals:1/2']]])('a rebuild of %j', (names) => {
  it('runs once until it has caught up, however often it is requested', async () => {
    const { administration, status, count, clock, start } = setUp(names);
    await count('counter-1', 1, 2);
    start();
    await clock.advance(1);
    const before = (await status()).map(({ active }) => active!.version);
    const answers = await Promise.all([1, 2, 3].map(() => administration.rebuild('totals')));
    expect(answers.map(({ kind }) => kind).sort()).toEqual(['done', 'refused', 'refused']);
    expect(answers).toContainEqual(refusal('REBUILD_IN_PROGRESS'));
    expect(await administration.rebuild('totals')).toEqual(refusal('REBUILD_IN_PROGRESS'));
    await clock.advance(5_000);
    for (const [index, { active, building }] of (await status()).entries()) {
      expect(building).toBeNull();
      expect(active!.version).toBeGreaterThan(before[index]!);
      expect(active).toMatchObject({ isComplete: true, events: 2 });
    }
    expect(await administration.rebuild('totals')).toMatchObject(done);
  });

  it('can be cancelled, and the live version stays', async () => {
    const { administration, status, count, clock, start } = setUp(names);
    await count('counter-1', 1);
    start().abort();
    await clock.advance(1);
    expect(await administration.cancel('totals')).toEqual(refusal('NO_REBUILD_IN_PROGRESS'));
    const before = (await status()).map(({ active }) => active);
    await administration.rebuild('totals');
    expect(await administration.cancel('totals')).toMatchObject(done);
    expect(await status()).toEqual(names.map((name, index) => ({ name, active: before[index], building: null })));
    expect(await administration.cancel('totals')).toEqual(refusal('NO_REBUILD_IN_PROGRESS'));
  });
});

describe('a rebuild of partitions', () => {
  const NAMES = ['totals:0/2', 'totals:1/2'];

  it('that was cut off is completed by repeating the request, and counts as one rebuild', async () => {
    const { administration, status, readStore, count, clock, start } = setUp(NAMES);
    await count('counter-1', 1);
    const stop = start();
    await clock.advance(1);
    stop.abort();
    await clock.advance(1_000);
    const beginBuild = readStore.beginBuild.bind(readStore);
    readStore.beginBuild = async (name, fresh) => {
      if (name === NAMES[1]) throw new ReadStoreUnavailableError('cut off');
      return beginBuild(name, fresh);
    };
    await expect(administration.rebuild('totals')).rejects.toThrow(ReadStoreUnavailableError);
    readStore.beginBuild = beginBuild;
    await clock.advance(1_000);
    expect(await administration.rebuild('totals')).toMatchObject(done);
    const begun = (await status()).map(({ building }) => building?.startedAtMs);
    expect(begun).toEqual([clock.nowMs() - 1_000, clock.nowMs() - 1_000]);
    expect(await administration.rebuild('totals')).toEqual(refusal('REBUILD_IN_PROGRESS'));
  });

  it('that no projector has opened yet is accepted, and they get their first version', async () => {
    const { administration, status, count, clock, start } = setUp(NAMES);
    await count('counter-1', 1);
    expect(await administration.rebuild('totals')).toMatchObject(done);
    expect(await administration.cancel('totals')).toEqual(refusal('NO_REBUILD_IN_PROGRESS'));
    start();
    await clock.advance(1);
    for (const { active } of await status()) expect(active).toMatchObject({ isComplete: true, events: 1 });
  });
});
