import { groupOwner } from '@app/kernel';

/**
 * Groups of several lists as of one: first each owner's first group, the lists taking turns, then each one's second, and so on.
 * No owner stands in two lists. How long groups of different lists have waited is not known: each list is as urgent as the others.
 *
 * @param lists each with the first groups of all owners ahead, as `ReadStore.dueGroups` gives them.
 */
export function mergedTurns(lists: readonly (readonly string[])[], limit: number): readonly string[] {
  if (lists.length === 1) return lists[0] ?? [];
  const rounds: string[][][] = [];
  for (const [index, groups] of lists.entries()) {
    const seen = new Map<string, number>();
    for (const group of groups) {
      const owner = groupOwner(group);
      const nth = seen.get(owner) ?? 0;
      seen.set(owner, nth + 1);
      const round = (rounds[nth] ??= lists.map(() => []));
      round[index]?.push(group);
    }
  }
  return rounds.flatMap(inTurns).slice(0, limit);
}

function inTurns(lists: readonly (readonly string[])[]): string[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, nth) => lists.flatMap((list) => list.slice(nth, nth + 1))).flat();
}
