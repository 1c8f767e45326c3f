import { item, LEASE, LIST, NOW, type ReadStoreFixture } from './read-store.fixture';

/** Whose groups are named when there are many: no owner's hide another's. */
export function describeFairness(t: ReadStoreFixture): void {
  const dueGroups = (limit: number, perOwner: number, nowMs = NOW) => t.store.dueGroups(LIST, nowMs, limit, perOwner);

  /** Items `<owner><n>`, one for each group `<owner>|<n>`, each waiting a millisecond less long than the one before. */
  const crowd = (owner: string, groups: number, since: number) =>
    Array.from({ length: groups }, (_, n) => item(`${owner}${n}`, since + n, `${owner}|${n}`));

  describe('owners of groups', () => {
    it('take turns, the longest waiting first in each turn', async () => {
      await t.write(...crowd('a', 3, NOW - 100), ...crowd('b', 2, NOW - 200), ...crowd('c', 1, NOW - 50));
      expect(await dueGroups(10, 10)).toEqual(['b|0', 'a|0', 'c|0', 'b|1', 'a|1', 'a|2']);
      expect(await dueGroups(4, 10)).toEqual(['b|0', 'a|0', 'c|0', 'b|1']);
      expect(await dueGroups(2, 10)).toEqual(['b|0', 'a|0']);
      expect(await dueGroups(10, 2)).toEqual(['b|0', 'a|0', 'c|0', 'b|1', 'a|1']);
      expect(await dueGroups(10, 1)).toEqual(['b|0', 'a|0', 'c|0']);
    });

    it('are told from the text before the first |, and from nothing else', async () => {
      const groups = ['a', 'a|', 'a|1|x', 'a|2', 'aa|1', 'a!|1', 'ab', '|1', '|2', 'A|1'];
      await t.write(...groups.map((group, n) => item(`k${n}`, NOW - 50 + n, group)));
      expect(await dueGroups(20, 1)).toEqual(['a', 'aa|1', 'a!|1', 'ab', '|1', 'A|1']);
      expect(await dueGroups(20, 20)).toEqual(['a', 'aa|1', 'a!|1', 'ab', '|1', 'A|1', 'a|', '|2', 'a|1|x', 'a|2']);
      for (const group of groups) expect(await t.claim('w', NOW, 10, group)).toEqual([`k${groups.indexOf(group)}`]);
    });

    it('are not hidden by one with ten thousand due groups', async () => {
      await t.write(...crowd('busy', 10_000, NOW - 20_000));
      await t.write(...crowd('late', 2, NOW - 2), ...crowd('zero', 1, NOW), ...crowd('future', 5, NOW + 1));
      const busy = Array.from({ length: 200 }, (_, n) => `busy|${n}`);
      expect(await dueGroups(1_000, 100)).toEqual([
        'busy|0',
        'late|0',
        'zero|0',
        'busy|1',
        'late|1',
        ...busy.slice(2, 100),
      ]);
      expect(await dueGroups(4, 100)).toEqual(['busy|0', 'late|0', 'zero|0', 'busy|1']);
      expect(await dueGroups(200, 1_000)).toHaveLength(200);
      await t.claim('w', NOW, 3);
      const shown = await dueGroups(1_000, 100);
      expect(shown.slice(0, 4)).toEqual(['busy|3', 'late|0', 'zero|0', 'busy|4']);
      expect(shown).toHaveLength(103);
    });

    it('come before further groups of others, where they are more than the limit', async () => {
      const each = Array.from({ length: 900 }, (_, n) => item(`k${n}`, NOW - 9_000 + n, `o${n % 300}|${n}`));
      await t.write(...each, ...crowd('busy', 900, NOW - 20_000));
      const first = ['busy|0', ...Array.from({ length: 300 }, (_, n) => `o${n}|${n}`)];
      expect(await dueGroups(301, 100)).toEqual(first);
      expect(await dueGroups(40, 100)).toEqual(first.slice(0, 40));
      expect(await dueGroups(303, 100)).toEqual([...first, 'busy|1', 'o0|300']);
    });

    it('share the places that are left among those with more', async () => {
      await t.write(...crowd('a', 700, NOW - 10_000), ...crowd('b', 90, NOW - 9_000), ...crowd('c', 3, NOW - 10));
      const counted = async (limit: number, perOwner: number) => {
        const groups = await dueGroups(limit, perOwner);
        return ['a|', 'b|', 'c|'].map((owner) => groups.filter((group) => group.startsWith(owner)).length);
      };
      expect(await counted(1_000, 1_000)).toEqual([700, 90, 3]);
      expect(await counted(60, 1_000)).toEqual([29, 28, 3]);
      expect(await counted(300, 150)).toEqual([150, 90, 3]);
      expect(await counted(300, 1_000)).toEqual([207, 90, 3]);
    });

    it('show their small groups behind a crowded one', async () => {
      const crowded = Array.from({ length: 6_000 }, (_, n) => item(`crowded${n}`, NOW - 10_000 + n, 'a|crowded'));
      await t.write(...crowded, item('x', NOW - 2, 'a|x'), item('b', NOW - 3, 'a|b'), item('f', NOW + 1, 'a|f'));
      await t.write(item('other', NOW - 1, 'o|1'));
      expect(await dueGroups(10, 10)).toEqual(['a|crowded', 'o|1', 'a|b', 'a|x']);
      expect(await dueGroups(10, 2)).toEqual(['a|crowded', 'o|1', 'a|b']);
      await t.claim('w', NOW, 10, 'a|b');
      expect(await dueGroups(10, 10)).toEqual(['a|crowded', 'o|1', 'a|x']);
      expect(await dueGroups(10, 10, NOW + LEASE)).toEqual(['a|crowded', 'o|1', 'a|b', 'a|x', 'a|f']);
    });
  });
}
