import type { DocumentWrite, ProjectionStop, ProjectionVersion } from '@app/kernel';
import {
  checkpoint,
  commitTo,
  DECLARED,
  item,
  LEASE,
  LIST,
  listed,
  NOW,
  OTHER_DECLARED,
  PROJECTION,
  type ReadStoreFixture,
  view,
  VIEWS,
} from './read-store.fixture';

const fresh = { declaredVersion: OTHER_DECLARED, head: 3n, nowMs: NOW };

/** Versions that are built beside the one that is read. */
export function describeVersions(t: ReadStoreFixture): void {
  async function begin(): Promise<ProjectionVersion> {
    const begun = await t.store.beginBuild(PROJECTION, fresh);
    if (typeof begun === 'string') throw new Error(begun);
    return begun;
  }

  const build = (version: ProjectionVersion, position: bigint, ...writes: readonly DocumentWrite[]) =>
    commitTo(t.store, version, position, ...writes);

  describe('a version that is built beside the active one', () => {
    it('is begun empty, with a number that was never given before', async () => {
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
      expect(await t.store.active(PROJECTION)).toEqual(t.version);
    });

    it('is one at a time, and none where nothing was opened', async () => {
      expect(await t.store.beginBuild('unheard of', fresh)).toBe('not-open');
      expect(await t.store.versions('unheard of')).toEqual({ active: null, building: null });
      const begun = await Promise.all(Array.from({ length: 5 }, () => t.store.beginBuild(PROJECTION, fresh)));
      expect(begun.filter((each) => each === 'in-progress')).toHaveLength(4);
    });

    it('is written and read by its number, and seen by nobody else', async () => {
      await t.write(view('k', { of: 'active' }), listed('l', 'all:1'), item('t', NOW));
      const building = await build(await begin(), 1n, view('k', { of: 'building' }), view('new', {}), item('u', NOW));
      expect(await t.store.getMany(VIEWS, ['k', 'new'])).toEqual([{ of: 'active' }, null]);
      expect(await t.store.getMany(VIEWS, ['k', 'new', 'l'], building.version)).toEqual([{ of: 'building' }, {}, null]);
      expect(await t.store.getMany(VIEWS, ['k'], t.version.version)).toEqual([{ of: 'active' }]);
      expect(await t.store.getMany(VIEWS, ['k'], building.version + 1)).toEqual([null]);
      expect(await t.page('all')).toEqual(['1 l']);
      expect(await t.store.depth(LIST)).toBe(1);
      expect(await t.claim('w')).toEqual(['t']);
      await t.write(view('k', { of: 'active', step: 2 }));
      expect(await t.store.versions(PROJECTION)).toEqual({ active: t.version, building });
    });

    it('fences off commits by the same rules as the active one', async () => {
      const building = await begin();
      const right = t.commitOf({ version: building.version, declaredVersion: OTHER_DECLARED, expected: null });
      expect(await t.store.commit({ ...right, declaredVersion: DECLARED })).toBe('fenced');
      expect(await t.store.commit({ ...right, expected: checkpoint(9n) })).toBe('fenced');
      expect(await t.store.commit({ ...right, version: building.version + 1 })).toBe('fenced');
      expect(await t.store.commit(right)).toBe('committed');
      expect(await t.store.commit(right)).toBe('fenced');
    });

    it('takes the place of the active one once it is complete and as far, with all that it holds', async () => {
      await t.write(view('k', { of: 'old' }), view('gone', {}), listed('l', 'all:1'), item('t', NOW), item('x', NOW));
      let building = await build(await begin(), 2n, view('k', { of: 'new' }), listed('m', 'all:2'), item('t', NOW - 1));
      expect(await t.store.activate(PROJECTION, building.version)).toBe('behind');
      building = await build(building, 3n);
      expect(await t.store.activate(PROJECTION, building.version + 1)).toBe('fenced');
      expect(await t.store.activate(PROJECTION, building.version)).toBe('activated');
      expect(await t.store.versions(PROJECTION)).toEqual({ active: building, building: null });
      expect(await t.store.getMany(VIEWS, ['k', 'gone', 'm'])).toEqual([{ of: 'new' }, null, { key: 'm' }]);
      expect(await t.page('all')).toEqual(['2 m']);
      expect(await t.store.depth(LIST)).toBe(1);
      expect(await t.store.nextDueAtMs(LIST)).toBe(NOW - 1);
      expect(await t.store.activate(PROJECTION, building.version)).toBe('fenced');
      // Whoever still projects for the old one is fenced off.
      expect(await t.store.commit(t.commitOf({ next: checkpoint(9n) }))).toBe('fenced');
      await build(building, 4n, view('k', { of: 'new', step: 2 }));
      expect(await t.read('k')).toEqual({ of: 'new', step: 2 });
    });

    it('does not take it while the active one has come further, by positions beyond 2^63 too', async () => {
      const next = checkpoint(2n ** 64n - 1n);
      expect(await t.store.commit(t.commitOf({ next }))).toBe('committed');
      let building = await build(await begin(), 2n ** 63n);
      expect(await t.store.activate(PROJECTION, building.version)).toBe('behind');
      building = await build(building, 2n ** 64n - 2n);
      expect(await t.store.activate(PROJECTION, building.version)).toBe('behind');
      building = await build(building, 2n ** 64n - 1n);
      expect(await t.store.activate(PROJECTION, building.version)).toBe('activated');
    });

    it('may be begun on an empty log, and take its place at once', async () => {
      const begun = await t.store.beginBuild(PROJECTION, { ...fresh, head: null });
      expect(await t.store.activate(PROJECTION, (begun as ProjectionVersion).version)).toBe('activated');
    });

    it('leaves claims as they are when it takes the place', async () => {
      await t.write(item('k', NOW), item('free', NOW));
      const [held] = await t.claim('one', NOW, 1);
      const left = held === 'k' ? 'free' : 'k';
      const building = await build(await begin(), 3n, item('k', NOW), item('free', NOW));
      expect(await t.store.activate(PROJECTION, building.version)).toBe('activated');
      expect(await t.claim('two')).toEqual([left]);
      expect(await t.store.renew(LIST, [held!], 'one', NOW + 2 * LEASE)).toEqual([held]);
    });

    it('can be given up, and what it held is never seen again', async () => {
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

    it('is given up when everything starts over', async () => {
      const building = await begin();
      const restarted = await t.store.restart(PROJECTION, { ...fresh, declaredVersion: DECLARED });
      expect(restarted.version).toBeGreaterThan(building.version);
      expect(await t.store.versions(PROJECTION)).toEqual({ active: restarted, building: null });
    });
  });

  describe('what dead versions left', () => {
    async function removeAll(): Promise<number> {
      let steps = 1;
      while (await t.store.removeOld(PROJECTION)) steps += 1;
      return steps;
    }

    it('is removed step by step, with nothing else', async () => {
      const many = (of: string) =>
        Array.from({ length: 1_200 }, (_, n) => ({ ...listed(`k${n}`, `all:${n}`, `l${n % 50}:1`), document: { of } }));
      await t.write(...many('first'));
      await t.write(...Array.from({ length: 300 }, (_, n) => item(`t${n}`, NOW + n, `o${n}|g`)));
      const given = await build(await begin(), 1n, ...many('given up'));
      expect(await t.store.abandonBuild(PROJECTION, given.version)).toBe(true);
      const building = await build(await begin(), 5n, ...many('second'), item('t', NOW));
      expect(await t.store.activate(PROJECTION, building.version)).toBe('activated');
      const next = await build(await begin(), 1n, view('k1', { of: 'third' }), item('v', NOW));
      await removeAll();
      expect(await t.store.getMany(VIEWS, ['k0', 'k1199'])).toEqual([{ of: 'second' }, { of: 'second' }]);
      expect(await t.page('all', { limit: 2_000 })).toHaveLength(1_200);
      expect(await t.store.getMany(VIEWS, ['k1'], next.version)).toEqual([{ of: 'third' }]);
      for (const dead of [t.version.version, given.version]) {
        expect(await t.store.getMany(VIEWS, ['k0', 'k1199'], dead)).toEqual([null, null]);
      }
      expect(await t.store.depth(LIST)).toBe(1);
      expect(await t.store.removeOld(PROJECTION)).toBe(false);
    });

    it('is nothing where nothing was built', async () => {
      expect(await t.store.removeOld('unheard of')).toBe(false);
      expect(await t.store.removeOld(PROJECTION)).toBe(false);
    });
  });

  describe('a stop', () => {
    const stop: ProjectionStop = {
      position: 2n ** 60n,
      event: { id: 'e', type: 'Exploded', streamId: 'payment-1', revision: 4 },
      reason: 'its type is unknown: "é"',
      atMs: NOW,
    };

    it('is noted with the version that stands still, and taken away again', async () => {
      const building = await begin();
      expect(await t.store.setStop(PROJECTION, building.version, stop)).toBe(true);
      expect(await t.store.versions(PROJECTION)).toEqual({ active: t.version, building: { ...building, stop } });
      expect(await t.store.setStop(PROJECTION, t.version.version, stop)).toBe(true);
      expect(await t.store.setStop(PROJECTION, building.version, null)).toBe(true);
      expect(await t.store.versions(PROJECTION)).toEqual({ active: { ...t.version, stop }, building });
      expect(await t.store.setStop(PROJECTION, building.version + 1, stop)).toBe(false);
      expect(await t.store.setStop('unheard of', 1, stop)).toBe(false);
    });

    it('is not noted late, behind what others have come past meanwhile', async () => {
      await t.write(view('k', {}));
      const reached = (await t.store.active(PROJECTION))!.checkpoint!.position;
      const { version } = t.version;
      for (const position of [reached - 1n, reached]) {
        expect(await t.store.setStop(PROJECTION, version, { ...stop, position })).toBe(false);
      }
      expect(await t.store.active(PROJECTION)).toMatchObject({ stop: null });
      expect(await t.store.setStop(PROJECTION, version, { ...stop, position: reached + 1n })).toBe(true);
      expect(await t.store.setStop(PROJECTION, version, null)).toBe(true);
    });

    it('stays where it is when documents are written, and goes with its version', async () => {
      await t.store.setStop(PROJECTION, t.version.version, stop);
      await t.write(view('k', {}));
      expect(await t.store.active(PROJECTION)).toMatchObject({ stop, checkpoint: checkpoint(1n) });
      const building = await build(await begin(), 3n);
      expect(await t.store.activate(PROJECTION, building.version)).toBe('activated');
      expect(await t.store.active(PROJECTION)).toMatchObject({ stop: null });
    });
  });

  describe('hints', () => {
    it('tell of what this store itself has changed', async () => {
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

/** What is had for a time: leases, and the membership of groups. */
export function describeLeases(t: ReadStoreFixture): void {
  const lease = (name: string, owner: string, nowMs = NOW) => ({ name, owner, nowMs, leaseMs: LEASE });

  describe('leases', () => {
    it('are held by one until they end', async () => {
      expect(await t.store.holdLease(lease('unit', 'one'))).toBe(true);
      expect(await t.store.holdLease(lease('unit', 'two'))).toBe(false);
      expect(await t.store.holdLease(lease('other', 'two'))).toBe(true);
      expect(await t.store.holdLease(lease('unit', 'two', NOW + LEASE - 1))).toBe(false);
      expect(await t.store.holdLease(lease('unit', 'two', NOW + LEASE))).toBe(true);
      expect(await t.store.holdLease(lease('unit', 'one', NOW + LEASE))).toBe(false);
    });

    it('are lengthened by their holder', async () => {
      await t.store.holdLease(lease('unit', 'one'));
      expect(await t.store.holdLease(lease('unit', 'one', NOW + LEASE / 2))).toBe(true);
      expect(await t.store.holdLease(lease('unit', 'two', NOW + LEASE))).toBe(false);
      expect(await t.store.holdLease(lease('unit', 'two', NOW + LEASE + LEASE / 2))).toBe(true);
    });

    it('are void where they would last for more than twice their time: the clock was put back', async () => {
      await t.store.holdLease(lease('unit', 'one'));
      expect(await t.store.holdLease(lease('unit', 'two', NOW - LEASE))).toBe(false);
      expect(await t.store.holdLease(lease('unit', 'two', NOW - LEASE - 1))).toBe(true);
      expect(await t.store.holdLease(lease('unit', 'one', NOW - LEASE - 1))).toBe(false);
    });

    it('are ended by their holder alone', async () => {
      await t.store.holdLease(lease('unit', 'one'));
      await t.store.endLease('unit', 'two');
      expect(await t.store.holdLease(lease('unit', 'two'))).toBe(false);
      await t.store.endLease('unit', 'one');
      await t.store.endLease('unit', 'one');
      expect(await t.store.holdLease(lease('unit', 'two'))).toBe(true);
    });

    it('go to one of many that ask at once', async () => {
      const asked = await Promise.all(Array.from({ length: 9 }, (_, n) => t.store.holdLease(lease('unit', `o${n}`))));
      expect(asked.filter((held) => held)).toHaveLength(1);
    });
  });

  describe('groups', () => {
    it('have those who joined for as long as they keep joining', async () => {
      expect(await t.store.join(lease('projectors', 'b'))).toEqual(['b']);
      expect(await t.store.join(lease('projectors', 'a', NOW + 1))).toEqual(['a', 'b']);
      expect(await t.store.join(lease('others', 'c'))).toEqual(['c']);
      expect(await t.store.join(lease('projectors', 'b', NOW + 2))).toEqual(['a', 'b']);
      expect(await t.store.join(lease('projectors', 'b', NOW + LEASE + 1))).toEqual(['b']);
    });

    it('forget those who joined under a later clock', async () => {
      await t.store.join(lease('projectors', 'a'));
      expect(await t.store.join(lease('projectors', 'b', NOW - LEASE))).toEqual(['a', 'b']);
      expect(await t.store.join(lease('projectors', 'b', NOW - LEASE - 1))).toEqual(['b']);
    });

    it('are left at once', async () => {
      await t.store.join(lease('projectors', 'a'));
      await t.store.join(lease('projectors', 'b'));
      await t.store.leave('projectors', 'a');
      await t.store.leave('projectors', 'never there');
      expect(await t.store.join(lease('projectors', 'b'))).toEqual(['b']);
    });
  });
}
