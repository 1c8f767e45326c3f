import * as fc from 'fast-check';
import { mergedTurns } from './merged-turns';

describe('mergedTurns', () => {
  it("gives every owner's first group before any owner's second, the lists taking turns", () => {
    const lists = [['a|1', 'b|1', 'a|2', 'a|3'], ['c|1', 'c|2'], []];
    expect(mergedTurns(lists, 10)).toEqual(['a|1', 'c|1', 'b|1', 'a|2', 'c|2', 'a|3']);
    expect(mergedTurns(lists, 3)).toEqual(['a|1', 'c|1', 'b|1']);
    expect(mergedTurns([['a|1', 'a|2']], 10)).toEqual(['a|1', 'a|2']);
    expect(mergedTurns([], 10)).toEqual([]);
  });

  it('loses no group and keeps the order within each list', () => {
    const groups = fc.uniqueArray(fc.tuple(fc.nat(5), fc.nat(3)), { selector: String, maxLength: 12 });
    fc.assert(
      fc.property(fc.array(groups, { minLength: 1, maxLength: 4 }), (given) => {
        const lists = given.map((list, index) => inRounds(list.map(([owner, n]) => `l${index}o${owner}|${n}`)));
        const merged = mergedTurns(lists, Infinity);
        expect([...merged].sort()).toEqual(lists.flat().sort());
        for (const [index, list] of lists.entries()) {
          expect(merged.filter((group) => group.startsWith(`l${index}o`))).toEqual(list);
        }
      }),
    );
  });
});

/** In the order in which a store gives them: each owner's first, then each one's second. */
function inRounds(groups: readonly string[]): string[] {
  const seen = new Map<string, number>();
  const placed = groups.map((group) => {
    const owner = group.split('|')[0]!;
    const nth = seen.get(owner) ?? 0;
    seen.set(owner, nth + 1);
    return { group, nth };
  });
  return placed.sort((a, b) => a.nth - b.nth).map(({ group }) => group);
}
