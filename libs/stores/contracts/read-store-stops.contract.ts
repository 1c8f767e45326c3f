import type { ProjectionStop, ProjectionVersion } from '@app/event-sourcing';
import {
  checkpoint,
  commitTo,
  DECLARED,
  NOW,
  OTHER_DECLARED,
  PROJECTION,
  type ReadStoreFixture,
  view,
} from './read-store.fixture';

const stop: ProjectionStop = {
  position: 2n ** 60n,
  event: { id: 'e', type: 'Exploded', streamId: 'payment-1', revision: 4 },
  reason: 'its type is unknown: "é"',
  atMs: NOW,
};

/** Stops of versions, which commits set and clear. */
export function describeStops(t: ReadStoreFixture): void {
  /** A commit without writes and with an unchanged checkpoint. */
  const note = (noted: ProjectionStop | null) => {
    const { checkpoint: next } = t.version;
    return t.store.commit(t.commitOf({ next, stop: noted }));
  };

  describe('a stop', () => {
    it('can be set before anything was projected, and cleared again', async () => {
      expect(await note(stop)).toBe('committed');
      expect(await t.active()).toEqual({ ...t.version, checkpoint: null, stop });
      expect(await note(null)).toBe('committed');
      expect(await t.active()).toEqual({ ...t.version, checkpoint: null, stop: null });
    });

    it('is set at the current checkpoint, and cleared by the next commit', async () => {
      await t.write(view('k', { n: 1 }));
      expect(await note(stop)).toBe('committed');
      expect(await note({ ...stop, reason: 'another' })).toBe('committed');
      expect(await t.active()).toEqual({ ...t.version, stop: { ...stop, reason: 'another' } });
      expect(await t.read('k')).toEqual({ n: 1 });
      await t.write(view('k', { n: 2 }));
      expect(await t.active()).toEqual({ ...t.version, stop: null });
    });

    it('may be set in the same commit as the last documents before it', async () => {
      const next = checkpoint(1n);
      const writes = [view('k', { n: 1 })];
      expect(await t.store.commit(t.commitOf({ next, writes, stop }))).toBe('committed');
      expect(await t.active()).toEqual({ ...t.version, checkpoint: next, stop });
      expect(await t.read('k')).toEqual({ n: 1 });
    });

    it('is neither set nor cleared if the checkpoint has advanced, or another version is live', async () => {
      const early = t.commitOf({ next: null, stop });
      await t.write(view('k', {}));
      const { checkpoint: next, version } = t.version;
      const wrong = [
        early,
        t.commitOf({ next, stop, version: version + 1 }),
        t.commitOf({ next, stop, declaredVersion: OTHER_DECLARED }),
        t.commitOf({ next, stop, projection: 'unheard of' }),
      ];
      for (const commit of wrong) expect(await t.store.commit(commit)).toBe('fenced');
      expect(await t.active()).toEqual(t.version);
      expect(await note(stop)).toBe('committed');
      for (const commit of wrong) expect(await t.store.commit({ ...commit, stop: null })).toBe('fenced');
      expect(await t.active()).toEqual({ ...t.version, stop });
    });

    it('belongs to one version, and goes with it', async () => {
      const begun = await t.store.beginBuild(PROJECTION, { declaredVersion: DECLARED, head: 3n, nowMs: NOW });
      let building = begun as ProjectionVersion;
      const ofBuilding = { version: building.version, declaredVersion: DECLARED, expected: null, next: null };
      expect(await t.store.commit(t.commitOf({ ...ofBuilding, stop }))).toBe('committed');
      expect(await t.store.versions(PROJECTION)).toEqual({ active: t.version, building: { ...building, stop } });
      expect(await note(stop)).toBe('committed');
      expect(await t.store.commit(t.commitOf(ofBuilding))).toBe('committed');
      expect(await t.store.versions(PROJECTION)).toEqual({ active: { ...t.version, stop }, building });
      building = await commitTo(t.store, building, 3n);
      expect(await t.store.activate(PROJECTION, building.version)).toBe('activated');
      expect(await t.active()).toEqual(building);
    });
  });
}
