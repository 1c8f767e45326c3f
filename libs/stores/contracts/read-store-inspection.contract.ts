import type { InspectedPage } from '@app/event-sourcing';
import {
  checkpoint,
  commitTo,
  DECLARED,
  listed,
  NOW,
  PROJECTION,
  type ReadStoreFixture,
  VIEWS,
} from './read-store.fixture';

/** What is stored, as comparisons with the log read it. */
export function describeInspection(fixture: ReadStoreFixture): void {
  const inspection = () => fixture.store.inspection;
  const views = () => ({ ...VIEWS, version: fixture.version.version });

  async function all<T>(page: (from: string | null) => Promise<InspectedPage<T> | null>): Promise<readonly T[]> {
    const found: T[] = [];
    for (let from: string | null = null; ;) {
      const read: InspectedPage<T> | null = await page(from);
      found.push(...(read?.found ?? []));
      if (read === null || read.next === null) return found;
      from = read.next;
    }
  }
  const keys = () => all((from) => inspection().keys(views(), from));
  const entries = () => all((from) => inspection().entries(views(), from));

  describe('inspection', () => {
    it('shows documents with their list entries, at the checkpoint', async () => {
      await fixture.write(listed('a', 'm1:1', 'm2:1'), listed('b'));
      expect(await inspection().documents(views(), ['b', 'none', 'a'])).toEqual({
        position: 1n,
        found: [
          { key: 'b', document: { key: 'b' }, entries: [], unlisted: [] },
          { key: 'none', document: null, entries: [], unlisted: [] },
          {
            key: 'a',
            document: { key: 'a' },
            entries: [
              { list: 'm1', order: '1' },
              { list: 'm2', order: '1' },
            ],
            unlisted: [],
          },
        ],
      });
    });

    it('finds every key and every entry, page by page, whatever is in them', async () => {
      const odd = ['a\0b', '\x01', '\x02c', 'ü', ' '];
      const many = Array.from({ length: 1_200 }, (_, index) => listed(`k${index}`, `m${index % 3}:${index}`));
      await fixture.write(...many, ...odd.map((key) => listed(key, `${key}\x02list:1`)));
      expect([...new Set(await keys())].sort()).toEqual([...many.map(({ key }) => key), ...odd].sort());
      const found = (await entries()).map(({ list, order, key }) => JSON.stringify([list, order, key]));
      const expected = [
        ...many.map(({ key, listEntries: [entry] }) => JSON.stringify([entry?.list, entry?.order, key])),
        ...odd.map((key) => JSON.stringify([`${key}\x02list`, '1', key])),
      ];
      expect(found.sort()).toEqual(expected.sort());
      const read = await inspection().documents(views(), odd);
      expect(read?.found.map(({ key, entries: [entry], unlisted }) => [key, entry?.list, unlisted])).toEqual(
        odd.map((key) => [key, `${key}\x02list`, []]),
      );
    });

    it('shows nothing of a version that was never written to, at no position', async () => {
      expect(await inspection().documents(views(), ['a'])).toEqual({
        position: -1n,
        found: [{ key: 'a', document: null, entries: [], unlisted: [] }],
      });
      expect([await keys(), await entries()]).toEqual([[], []]);
      expect(await inspection().versions(PROJECTION)).toEqual({ active: fixture.version, building: null });
      expect(await inspection().versions('unknown')).toEqual({ active: null, building: null });
    });

    it('shows only the live version', async () => {
      await fixture.write(listed('a', 'm1:1'));
      const before = views();
      const fresh = { declaredVersion: DECLARED, head: null, nowMs: NOW };
      const building = await fixture.store.beginBuild(PROJECTION, fresh);
      if (typeof building === 'string') throw new Error(building);
      const ofBuild = { ...VIEWS, version: building.version };
      expect(await inspection().keys(ofBuild, null)).toBeNull();
      await commitTo(fixture.store, building, 2n);
      expect(await fixture.store.activate(PROJECTION, building.version)).toBe('activated');
      expect(await inspection().keys(before, null)).toBeNull();
      expect(await inspection().entries(before, null)).toBeNull();
      expect(await inspection().documents(before, ['a'])).toBeNull();
      expect(await inspection().keys(ofBuild, null)).toMatchObject({ position: 2n, found: [] });
      expect((await inspection().versions(PROJECTION)).active?.checkpoint).toEqual(checkpoint(2n));
    });
  });
}
