import { DECLARED, listed, OTHER_DECLARED, PROJECTION, type ReadStoreFixture, view, VIEWS } from './read-store.fixture';

/** Where documents stand in sorted lists, and reading those page by page. */
export function describeSortedLists(t: ReadStoreFixture): void {
  describe('sorted lists', () => {
    it('are read in both directions, with their documents', async () => {
      await t.write(
        listed('k2', 'l:b'),
        listed('k1', 'l:c'),
        listed('k3', 'l:a'),
        listed('elsewhere', 'm:b'),
        view('k', {}),
      );
      expect(await t.page('l')).toEqual(['a k3', 'b k2', 'c k1']);
      expect(await t.page('l', { direction: 'descending' })).toEqual(['c k1', 'b k2', 'a k3']);
      const whole = { name: VIEWS, list: 'l', direction: 'ascending' as const, after: null, limit: 1 };
      expect(await t.store.page(whole)).toEqual([{ key: 'k3', order: 'a', document: { key: 'k3' } }]);
      expect(await t.page('no such list')).toEqual([]);
    });

    it('begin behind one order and end before another', async () => {
      await t.write(...['a', 'b', 'c', 'd', 'e'].map((order) => listed(`k${order}`, `l:${order}`)));
      expect(await t.page('l', { after: 'b' })).toEqual(['c kc', 'd kd', 'e ke']);
      expect(await t.page('l', { after: 'b', limit: 2 })).toEqual(['c kc', 'd kd']);
      expect(await t.page('l', { until: 'c' })).toEqual(['a ka', 'b kb']);
      expect(await t.page('l', { after: 'b', until: 'd' })).toEqual(['c kc']);
      expect(await t.page('l', { after: 'bb', until: 'bbb' })).toEqual([]);
      expect(await t.page('l', { after: 'd', until: 'b' })).toEqual([]);
      const direction = 'descending';
      expect(await t.page('l', { direction, after: 'd' })).toEqual(['c kc', 'b kb', 'a ka']);
      expect(await t.page('l', { direction, after: 'd', limit: 2 })).toEqual(['c kc', 'b kb']);
      expect(await t.page('l', { direction, until: 'c' })).toEqual(['e ke', 'd kd']);
      expect(await t.page('l', { direction, after: 'd', until: null })).toEqual(['c kc', 'b kb', 'a ka']);
      expect(await t.page('l', { direction, after: 'd', until: 'b' })).toEqual(['c kc']);
      expect(await t.page('l', { direction, after: 'cc', until: 'c' })).toEqual([]);
    });

    it('sort byte by byte, and by key where the order is the same', async () => {
      const orders = ['10', '2', '', 'a', 'B', '~', 'a!', 'aa', 'a-', 'A'];
      await t.write(...orders.map((order) => listed(`k${order}`, `l:${order}`)));
      const sorted = ['', '10', '2', 'A', 'B', 'a', 'a!', 'a-', 'aa', '~'];
      expect(await t.page('l')).toEqual(sorted.map((order) => `${order} k${order}`));
      expect(await t.page('l', { after: '' })).toEqual(sorted.slice(1).map((order) => `${order} k${order}`));
      expect(await t.page('l', { until: '' })).toEqual([]);
      expect(await t.page('l', { direction: 'descending', until: '' })).toHaveLength(9);
      await t.write(...['z', 'é', 'Z', '😀', '\uffee'].map((key) => listed(key, 'same:x')));
      expect(await t.page('same')).toEqual(['x Z', 'x z', 'x é', 'x \uffee', 'x 😀']);
      expect(await t.page('same', { direction: 'descending', limit: 2 })).toEqual(['x 😀', 'x \uffee']);
      expect(await t.page('same', { after: 'x' })).toEqual([]);
    });

    it('follow the document: each write replaces its earlier entries', async () => {
      await t.write(listed('k', 'l:1', 'm:1', 'n:1'), listed('other', 'l:1'));
      await t.write({ ...listed('k', 'n:1', 'l:2', 'o:1'), document: { changed: true } });
      expect([await t.page('l'), await t.page('m')]).toEqual([['1 other', '2 k'], []]);
      expect([await t.page('n'), await t.page('o')]).toEqual([['1 k'], ['1 k']]);
      const whole = { name: VIEWS, list: 'n', direction: 'ascending' as const, after: null, limit: 9 };
      expect(await t.store.page(whole)).toEqual([{ key: 'k', order: '1', document: { changed: true } }]);
      await t.write(view('k', { off: 'all lists' }));
      expect([await t.page('l'), await t.page('n'), await t.page('o')]).toEqual([['1 other'], [], []]);
      expect(await t.read('k')).toEqual({ off: 'all lists' });
      await t.write(listed('k', 'l:3'));
      expect(await t.page('l')).toEqual(['1 other', '3 k']);
    });

    it('lose a document that is removed, and have it again with other entries when it comes back', async () => {
      await t.write(listed('k', 'l:1', 'm:1'), listed('stays', 'l:2'));
      await t.write({ ...listed('k', 'l:1'), document: null });
      expect([await t.page('l'), await t.page('m')]).toEqual([['2 stays'], []]);
      await t.write(listed('k', 'l:3'));
      expect([await t.page('l'), await t.page('m')]).toEqual([['2 stays', '3 k'], []]);
    });

    it('hold a document several times under several orders, once under one', async () => {
      await t.write(listed('k', 'l:1', 'l:3', 'l:1'), listed('m', 'l:2'));
      expect(await t.page('l')).toEqual(['1 k', '2 m', '3 k']);
      await t.write(listed('k', 'l:3', 'l:3'));
      expect(await t.page('l')).toEqual(['2 m', '3 k']);
    });

    it('count the last write of a key in a commit, and none of a fenced one', async () => {
      await t.write(listed('k', 'l:1'), listed('k', 'l:2'), listed('gone', 'l:3'), {
        ...listed('gone'),
        document: null,
      });
      expect(await t.page('l')).toEqual(['2 k']);
      const fenced = t.commitOf({ expected: null, writes: [listed('k', 'l:9'), listed('new', 'l:8')] });
      expect(await t.store.commit(fenced)).toBe('fenced');
      expect(await t.page('l')).toEqual(['2 k']);
    });

    it('belong to one collection of one projection', async () => {
      await t.write(listed('k', 'l:1'), { ...listed('k', 'l:2'), collection: 'other' });
      expect(await t.page('l')).toEqual(['1 k']);
      expect(await t.page('l', { name: { projection: PROJECTION, collection: 'other' } })).toEqual(['2 k']);
      expect(await t.page('l', { name: { projection: 'elsewhere', collection: 'views' } })).toEqual([]);
    });

    it('are empty in a new version, and filled anew', async () => {
      await t.write(...Array.from({ length: 2_500 }, (_, index) => listed(`k${index}`, `l:${index}`, 'm:1')));
      t.version = await t.store.restart(PROJECTION, { declaredVersion: OTHER_DECLARED, head: 1n, nowMs: 1 });
      expect([await t.page('l'), await t.page('m')]).toEqual([[], []]);
      await t.write(listed('k7', 'l:again'));
      expect(await t.page('l')).toEqual(['again k7']);
      t.version = await t.store.restart(PROJECTION, { declaredVersion: DECLARED, head: 1n, nowMs: 1 });
      expect(await t.page('l')).toEqual([]);
    });

    it('give each document that was there once, while others come and change', async () => {
      const orders = Array.from({ length: 60 }, (_, index) => String(100 + index));
      await t.write(...orders.map((order) => listed(`k${order}`, `l:${order}`)));
      const seen: string[] = [];
      for (let after: string | null = null; ;) {
        const page = await t.page('l', { direction: 'descending', after, limit: 7 });
        if (page.length === 0) break;
        seen.push(...page);
        after = page.at(-1)!.split(' ')[0]!;
        await t.write(listed(`new${seen.length}`, `l:${200 + seen.length}`), listed(`k${after}`, `l:${after}`, 'm:1'));
      }
      expect(seen).toEqual(orders.reverse().map((order) => `${order} k${order}`));
    });
  });
}
