import { settle } from '@app/platform/testing';
import type { ProjectionVersion } from '../read-store';
import { setUp, start, stopAll } from '../testing/projectors';
import { noteStop } from '../testing/stops';

afterEach(stopAll);

type Parts = ReturnType<typeof setUp>;

const begin = async (parts: Parts, declaredVersion = 1) => {
  const head = await parts.eventStore.head();
  return (await parts.readStore.beginBuild('totals', { declaredVersion, head, nowMs: 1 })) as ProjectionVersion;
};

/** The live version has declared version 1; a projector with declared version 2 builds the next one. */
const begun = async (parts: Parts) => {
  const fresh = { declaredVersion: 2, head: await parts.eventStore.head(), nowMs: 1 };
  await parts.readStore.open('totals', { ...fresh, declaredVersion: 1 });
  return (await parts.readStore.beginBuild('totals', fresh)) as ProjectionVersion;
};

/** A projection that a release has built; its projector has ended. */
async function builtBy(declaredVersion: number) {
  const parts = setUp();
  await parts.count('counter-1', 1, 2);
  const old = start(parts, declaredVersion);
  await settle();
  old.stop.abort();
  await old.ended;
  return parts;
}

/** A newer release has built the projection and has ended; the older one still runs. */
async function superseded() {
  const parts = setUp();
  const older = start(parts, 1);
  await parts.clock.advance(1);
  const newer = start(parts, 2);
  await settle(12);
  newer.stop.abort();
  await newer.ended;
  await parts.clock.advance(1_000);
  return { parts, older };
}

const stop = {
  position: 1n,
  event: { id: 'e', type: 'Counted', streamId: 'counter-1', revision: 0 },
  reason: 'r',
  atMs: 1,
};

describe('a projection built for another declared version', () => {
  it('is rebuilt beside the live version, which is read until then', async () => {
    const parts = await builtBy(1);
    const read: unknown[] = [];
    const commit = parts.readStore.commit.bind(parts.readStore);
    parts.readStore.commit = async (what) => {
      read.push((await parts.documents('counter-1'))[0]);
      return commit(what);
    };
    const { observer } = start(parts, 2);
    await settle(12);
    expect(observer.told).toEqual(['building 2', 'built 2']);
    expect(observer.reasons).toEqual(['other version']);
    expect(observer.openedAt.map(({ version }) => version)).toEqual([1, 2]);
    expect(read).toEqual([{ total: 3, events: 2 }]);
    expect(await parts.readStore.versions('totals')).toMatchObject({
      active: { version: 2, declaredVersion: 2, checkpoint: { events: 2 } },
      building: null,
    });
    await parts.count('counter-1', 4);
    await settle();
    expect(await parts.documents('counter-1')).toEqual([{ total: 7, events: 3 }]);
    expect(await parts.onList()).toEqual(['counter-1']);
  });

  it('continues its build after a restart', async () => {
    const parts = await builtBy(1);
    const building = await begin(parts, 2);
    const { observer } = start(parts, 2);
    await settle(12);
    expect(observer.told).toEqual([`building ${building.version}`, `built ${building.version}`]);
  });

  it('replaces a build for an earlier declared version', async () => {
    const parts = await builtBy(1);
    const theirs = await begin(parts, 2);
    start(parts, 3);
    await settle(12);
    const active = (await parts.readStore.versions('totals')).active!;
    expect(active).toMatchObject({ declaredVersion: 3 });
    expect(active.version).toBeGreaterThan(theirs.version);
  });

  it('is not rebuilt by an older release, which runs until superseded and stands by after that', async () => {
    const parts = setUp();
    await parts.count('counter-1', 1);
    const older = start(parts, 1);
    await parts.clock.advance(1);
    const newer = start(parts, 2);
    await parts.count('counter-1', 2);
    await settle(12);
    await parts.clock.advance(5_000);
    expect(newer.observer.told).toEqual(['building 2', 'built 2']);
    expect(older.observer.told).toEqual(['superseded by 2']);
    await parts.count('counter-1', 4);
    await parts.clock.advance(1_000);
    expect(await parts.documents('counter-1')).toEqual([{ total: 7, events: 3 }]);
    expect(older.observer.commits.at(-1)).toMatchObject({ version: 2, checkpoint: { events: 3 } });
    expect(await parts.readStore.versions('totals')).toMatchObject({ active: { version: 2 }, building: null });
  });

  it('is left to a newer release that builds it slowly', async () => {
    const parts = setUp();
    for (let n = 0; n < 9; n += 1) await parts.count('counter-1', 1);
    start(parts, 1);
    await parts.clock.advance(1);
    const eventStore = Object.create(parts.eventStore) as typeof parts.eventStore;
    eventStore.subscribe = async function* (options) {
      for await (const batch of parts.eventStore.subscribe({ ...options, maxBatch: 1 })) {
        await parts.clock.sleep(10_000, options.signal);
        yield batch;
      }
    };
    start({ ...parts, eventStore }, 2);
    await parts.clock.advance(80_000);
    expect(await parts.readStore.versions('totals')).toMatchObject({
      active: { declaredVersion: 1 },
      building: { version: 2, declaredVersion: 2, checkpoint: { events: 8 } },
    });
    await parts.clock.advance(20_000);
    expect((await parts.readStore.versions('totals')).active).toMatchObject({ version: 2, declaredVersion: 2 });
  });

  it('is rebuilt by the older release if the newer one’s version is lost', async () => {
    const { parts, older } = await superseded();
    await parts.readStore.restart('totals', { declaredVersion: 1, head: null, nowMs: 1 });
    await parts.count('counter-1', 1);
    await parts.clock.advance(1_000);
    expect(await parts.documents('counter-1')).toEqual([{ total: 1, events: 1 }]);
    expect(older.observer.told).toEqual(['superseded by 2']);
  });

  it('is rebuilt by the older release after half a minute without progress', async () => {
    const { parts, older } = await superseded();
    await parts.clock.advance(60_000);
    // It has processed the whole log, so its release may still be running.
    expect(older.observer.told).toEqual(['superseded by 2']);
    await parts.count('counter-1', 1);
    await parts.clock.advance(31_000);
    expect(older.observer.told.slice(1)).toEqual(['building 3', 'built 3']);
    expect(await parts.documents('counter-1')).toEqual([{ total: 1, events: 1 }]);
  });

  it('is rebuilt by an older release at once if there is no other process', async () => {
    const parts = await builtBy(2);
    const { observer } = start({ ...parts, isAlone: true }, 1);
    await settle(12);
    expect(observer.told).toEqual(['building 2', 'built 2']);
    expect((await parts.readStore.versions('totals')).active).toMatchObject({ declaredVersion: 1 });
  });

  it('is left to an operator if it has stopped at an event', async () => {
    const { parts, older } = await superseded();
    await noteStop(parts.readStore, 'totals', 2, stop);
    await parts.count('counter-1', 1);
    await parts.clock.advance(90_000);
    expect(older.observer.told).toEqual(['superseded by 2']);
  });

  it('is not rebuilt by an older release that starts later', async () => {
    const { parts, older } = await superseded();
    older.stop.abort();
    await older.ended;
    const again = start(parts, 1);
    await parts.clock.advance(5_000);
    expect(again.observer.told).toEqual(['superseded by 2']);
  });
});

describe('a requested rebuild', () => {
  it('is noticed within a second and runs while the projection stays up to date', async () => {
    const parts = setUp();
    await parts.count('counter-1', 1, 2);
    const { observer } = start(parts);
    await settle();
    const building = await begin(parts);
    await parts.count('counter-1', 4);
    await settle();
    expect(await parts.documents('counter-1')).toEqual([{ total: 7, events: 3 }]);
    await parts.clock.advance(1_000);
    expect(observer.told).toEqual([`building ${building.version}`, `built ${building.version}`]);
    expect([observer.reasons, observer.losses]).toEqual([['asked for'], 0]);
    await parts.count('counter-1', 2);
    await settle();
    expect(await parts.documents('counter-1')).toEqual([{ total: 9, events: 4 }]);
  });

  it('is noticed at once if the store gives a hint', async () => {
    const parts = setUp();
    const { observer } = start(parts);
    await settle();
    const { version } = await begin(parts);
    await parts.clock.advance(100);
    expect(observer.told).toEqual([`building ${version}`, `built ${version}`]);
  });

  it('is for this declared version if the release that requested a later one is gone', async () => {
    const parts = setUp();
    await begun(parts);
    const { observer } = start(parts);
    await parts.clock.advance(32_000);
    const { active, building } = await parts.readStore.versions('totals');
    expect([active!.declaredVersion, building]).toEqual([1, null]);
    expect(observer.told).toEqual([`building ${active!.version}`, `built ${active!.version}`]);
  });

  it('is left to a newer release as long as that makes progress', async () => {
    const parts = setUp();
    const { observer } = start(parts);
    await settle();
    const { version } = await begun(parts);
    const build = (position: bigint | null, next: bigint) => {
      const checkpoint = (at: bigint) => ({ position: at, lastEvent: null, events: 0 });
      const expected = position === null ? null : checkpoint(position);
      const commit = {
        projection: 'totals',
        version,
        declaredVersion: 2,
        expected,
        next: checkpoint(next),
        writes: [],
      };
      return parts.readStore.commit(commit);
    };
    await parts.clock.advance(25_000);
    expect(await build(null, 1n)).toBe('committed');
    await parts.clock.advance(25_000);
    expect(await build(1n, 2n)).toBe('committed');
    await parts.clock.advance(25_000);
    expect(observer.told).toEqual([]);
    await parts.clock.advance(7_000);
    const active = (await parts.readStore.versions('totals')).active!;
    expect(active.version).toBeGreaterThan(version);
    expect(observer.told).toEqual([`building ${active.version}`, `built ${active.version}`]);
  });

  it('is abandoned when cancelled, and can be requested again', async () => {
    const parts = setUp();
    await parts.count('counter-1', 1);
    const { observer } = start(parts);
    await settle();
    const building = await begin(parts);
    const activate = parts.readStore.activate.bind(parts.readStore);
    parts.readStore.activate = async () => 'behind';
    await parts.clock.advance(1_000);
    expect(await parts.readStore.abandonBuild('totals', building.version)).toBe(true);
    await parts.count('counter-1', 2);
    await parts.clock.advance(1_000);
    expect(observer.told).toEqual([`building ${building.version}`, `abandoned ${building.version}`]);
    parts.readStore.activate = activate;
    const again = await begin(parts);
    await parts.clock.advance(2_000);
    expect(observer.told.slice(2)).toEqual([`building ${again.version}`, `built ${again.version}`]);
    expect(await parts.documents('counter-1')).toEqual([{ total: 3, events: 2 }]);
  });

  it('stops at an event that it cannot apply, while the live version runs on', async () => {
    const parts = setUp();
    await parts.count('counter-1', 1);
    const { observer } = start(parts);
    await settle();
    const building = await begin(parts);
    await noteStop(parts.readStore, 'totals', building.version, stop);
    await parts.clock.advance(2_000);
    await parts.count('counter-1', 2);
    await settle();
    expect(await parts.documents('counter-1')).toEqual([{ total: 3, events: 2 }]);
    expect(observer.commits.at(-1)!.stop).toBeNull();
    expect(observer.told).toEqual([`building ${building.version}`, `stopped ${building.version} at e`]);
    await noteStop(parts.readStore, 'totals', building.version, null);
    await parts.clock.advance(2_000);
    expect(observer.told.slice(2)).toEqual([`resumed ${building.version}`, `built ${building.version}`]);
  });

  it('is abandoned if it belongs to another log', async () => {
    const parts = setUp();
    await parts.count('counter-1', 1);
    const { observer } = start(parts);
    await settle();
    const { version, declaredVersion } = await begin(parts);
    const next = { position: 1_000_000n, lastEvent: null, events: 0 };
    await parts.readStore.commit({ projection: 'totals', version, declaredVersion, expected: null, next, writes: [] });
    await parts.clock.advance(1_000);
    expect(observer.told).toEqual([`abandoned ${version}`]);
    expect((await parts.readStore.versions('totals')).building).toBeNull();
  });

  it('is shared by two projectors, and every commit counts once', async () => {
    const parts = setUp();
    for (let n = 0; n < 30; n += 1) await parts.count(`counter-${n % 3}`, 1);
    const observers = [start(parts), start(parts)].map(({ observer }) => observer);
    await settle();
    const { version } = await begin(parts);
    await parts.clock.advance(3_000);
    for (const { told } of observers) expect(told.filter((what) => what.startsWith('abandoned'))).toEqual([]);
    expect((await parts.readStore.versions('totals')).active).toMatchObject({ version, checkpoint: { events: 30 } });
    expect(await parts.documents('counter-0')).toEqual([{ total: 10, events: 10 }]);
  });
});
