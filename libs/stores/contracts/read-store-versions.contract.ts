import { type DocumentWrite, dueAfter, dueAtOnce, type ProjectionVersion } from '@app/event-sourcing';
import {
  checkpoint,
  commitTo,
  DECLARED,
  item,
  listed,
  NOW,
  OTHER_DECLARED,
  PROJECTION,
  type ReadStoreFixture,
  view,
  VIEWS,
} from './read-store.fixture';

const fresh = { declaredVersion: OTHER_DECLARED, head: 3n, nowMs: NOW };

/** Versions that are built beside the live one. */
export function describeVersions(t: ReadStoreFixture): void {
  async function begin(): Promise<ProjectionVersion> {
    const begun = await t.store.beginBuild(PROJECTION, fresh);
    if (typeof begun === 'string') throw new Error(begun);
    return begun;
  }

  const build = (version: ProjectionVersion, position: bigint, ...writes: readonly DocumentWrite[]) =>
    commitTo(t.store, version, position, ...writes);

  describe('a version that is built beside the live one', () => {
    it('is empty at first, with a number that was never used before', async () => {
      const building = await begin();
      expect(building).toEqual({
        projection: PROJECTION,
        version: expect.any(Number) as number,
        declaredVersion: OTHER_DECLARED,
        checkpoint: null,
        completeFrom: 3n,
        startedAtMs: NOW,
        stop: null,
      });
      expect(building.version).toBeGreaterThan(t.version.version);
      expect(await t.store.versions(PROJECTION)).toEqual({ active: t.version, building });
      expect(await t.active()).toEqual(t.version);
    });

    it('is the only one at a time, and requires an opened projection', async () => {
      expect(await t.store.beginBuild('unheard of', fresh)).toBe('not-open');
      expect(await t.store.versions('unheard of')).toEqual({ active: null, building: null });
      const begun = await Promise.all(Array.from({ length: 5 }, () => t.store.beginBuild(PROJECTION, fresh)));
      expect(begun.filter((each) => each === 'in-progress')).toHaveLength(4);
    });

    it('is written and read by its number only', async () => {
      await t.write(view('k', { of: 'active' }), listed('l', 'all:1'), item('t', dueAtOnce(NOW)));
      const building = await build(
        await begin(),
        1n,
        view('k', { of: 'building' }),
        view('new', {}),
        item('u', dueAtOnce(NOW)),
      );
      expect(await t.store.getMany(VIEWS, ['k', 'new'])).toEqual([{ of: 'active' }, null]);
      expect(await t.store.getMany(VIEWS, ['k', 'new', 'l'], building.version)).toEqual([{ of: 'building' }, {}, null]);
      expect(await t.store.getMany(VIEWS, ['k'], t.version.version)).toEqual([{ of: 'active' }]);
      expect(await t.store.getMany(VIEWS, ['k'], building.version + 1)).toEqual([null]);
      expect(await t.page('all')).toEqual(['1 l']);
      expect(await t.toDo()).toEqual(['t']);
      await t.write(view('k', { of: 'active', step: 2 }));
      expect(await t.store.versions(PROJECTION)).toEqual({ active: t.version, building });
    });

    it('fences commits by the same rules as the live one', async () => {
      const building = await begin();
      const right = t.commitOf({ version: building.version, declaredVersion: OTHER_DECLARED, expected: null });
      expect(await t.store.commit({ ...right, declaredVersion: DECLARED })).toBe('fenced');
      expect(await t.store.commit({ ...right, expected: checkpoint(9n) })).toBe('fenced');
      expect(await t.store.commit({ ...right, version: building.version + 1 })).toBe('fenced');
      expect(await t.store.commit(right)).toBe('committed');
      expect(await t.store.commit(right)).toBe('fenced');
    });

    it('replaces the live one with all its data once it is complete and has caught up with it', async () => {
      await t.write(
        view('k', { of: 'old' }),
        view('gone', {}),
        listed('l', 'all:1'),
        item('t', dueAtOnce(NOW)),
        item('x', dueAtOnce(NOW)),
      );
      let building = await build(
        await begin(),
        2n,
        view('k', { of: 'new' }),
        listed('m', 'all:2'),
        item('t', dueAtOnce(NOW - 1)),
      );
      expect(await t.store.activate(PROJECTION, building.version)).toBe('behind');
      building = await build(building, 3n);
      expect(await t.store.activate(PROJECTION, building.version + 1)).toBe('fenced');
      expect(await t.store.activate(PROJECTION, building.version)).toBe('activated');
      expect(await t.store.versions(PROJECTION)).toEqual({ active: building, building: null });
      expect(await t.store.getMany(VIEWS, ['k', 'gone', 'm'])).toEqual([{ of: 'new' }, null, { key: 'm' }]);
      expect(await t.page('all')).toEqual(['2 m']);
      expect(await t.toDo()).toEqual(['t']);
      expect(await t.store.activate(PROJECTION, building.version)).toBe('fenced');
      // Commits to the old version are fenced.
      expect(await t.store.commit(t.commitOf({ next: checkpoint(9n) }))).toBe('fenced');
      await build(building, 4n, view('k', { of: 'new', step: 2 }));
      expect(await t.read('k')).toEqual({ of: 'new', step: 2 });
    });

    it('does not replace the live one while that is ahead, even beyond 2^63', async () => {
      const next = checkpoint(2n ** 64n - 1n);
      expect(await t.store.commit(t.commitOf({ next }))).toBe('committed');
      let building = await build(await begin(), 2n ** 63n);
      expect(await t.store.activate(PROJECTION, building.version)).toBe('behind');
      building = await build(building, 2n ** 64n - 2n);
      expect(await t.store.activate(PROJECTION, building.version)).toBe('behind');
      building = await build(building, 2n ** 64n - 1n);
      expect(await t.store.activate(PROJECTION, building.version)).toBe('activated');
    });

    it('may be started on an empty log, and become live at once', async () => {
      const begun = await t.store.beginBuild(PROJECTION, { ...fresh, head: null });
      expect(await t.store.activate(PROJECTION, (begun as ProjectionVersion).version)).toBe('activated');
    });

    it('can be abandoned, and its data is never seen again', async () => {
      const building = await build(await begin(), 1n, view('k', { of: 'given up' }));
      expect(await t.store.abandonBuild(PROJECTION, building.version + 1)).toBe(false);
      expect(await t.store.abandonBuild(PROJECTION, t.version.version)).toBe(false);
      expect(await t.store.abandonBuild(PROJECTION, building.version)).toBe(true);
      expect(await t.store.abandonBuild(PROJECTION, building.version)).toBe(false);
      const late = {
        ...t.commitOf({ version: building.version, declaredVersion: OTHER_DECLARED }),
        expected: checkpoint(1n),
      };
      expect(await t.store.commit(late)).toBe('fenced');
      expect(await t.store.activate(PROJECTION, building.version)).toBe('fenced');
      const again = await begin();
      expect(again.version).toBeGreaterThan(building.version);
      expect(await t.store.getMany(VIEWS, ['k'], again.version)).toEqual([null]);
      expect(await t.store.versions(PROJECTION)).toEqual({ active: t.version, building: again });
    });

    it('is abandoned when the projection starts over', async () => {
      const building = await begin();
      const restarted = await t.store.restart(PROJECTION, { ...fresh, declaredVersion: DECLARED });
      expect(restarted.version).toBeGreaterThan(building.version);
      expect(await t.store.versions(PROJECTION)).toEqual({ active: restarted, building: null });
    });
  });

  describe('the data of dead versions', () => {
    async function removeAll(): Promise<number> {
      let steps = 1;
      while (await t.store.removeOld(PROJECTION)) steps += 1;
      return steps;
    }

    it('is removed step by step, and nothing else is', async () => {
      const many = (of: string) =>
        Array.from({ length: 1_200 }, (_, n) => ({ ...listed(`k${n}`, `all:${n}`, `l${n % 50}:1`), document: { of } }));
      await t.write(...many('first'));
      await t.write(...Array.from({ length: 300 }, (_, n) => item(`t${n}`, dueAfter(NOW, NOW + n))));
      const given = await build(await begin(), 1n, ...many('given up'));
      expect(await t.store.abandonBuild(PROJECTION, given.version)).toBe(true);
      const building = await build(await begin(), 5n, ...many('second'), item('t', dueAtOnce(NOW)));
      expect(await t.store.activate(PROJECTION, building.version)).toBe('activated');
      const next = await build(await begin(), 1n, view('k1', { of: 'third' }), item('v', dueAtOnce(NOW)));
      await removeAll();
      expect(await t.store.getMany(VIEWS, ['k0', 'k1199'])).toEqual([{ of: 'second' }, { of: 'second' }]);
      expect(await t.page('all', { limit: 2_000 })).toHaveLength(1_200);
      expect(await t.store.getMany(VIEWS, ['k1'], next.version)).toEqual([{ of: 'third' }]);
      for (const dead of [t.version.version, given.version]) {
        expect(await t.store.getMany(VIEWS, ['k0', 'k1199'], dead)).toEqual([null, null]);
      }
      expect(await t.toDo()).toEqual(['t']);
      expect(await t.store.removeOld(PROJECTION)).toBe(false);
    });

    it('does not exist if nothing was built', async () => {
      expect(await t.store.removeOld('unheard of')).toBe(false);
      expect(await t.store.removeOld(PROJECTION)).toBe(false);
    });
  });

  describe('hints', () => {
    it('report changes by this store itself', async () => {
      const told: string[] = [];
      const stopListening = t.store.onAdvanced((projection) => told.push(projection));
      await t.write(view('k', {}));
      expect(told).toContain(PROJECTION);
      stopListening();
      const before = told.length;
      await t.write(view('k', {}));
      expect(told).toHaveLength(before);
    });
  });
}
