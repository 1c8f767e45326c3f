import { groupOwner } from '@app/kernel';

export interface WaitingGroup {
  readonly group: string;
  /** Due time of its longest due item that nobody holds, in ms since the epoch. */
  readonly sinceMs: number;
}

/**
 * The order in which a read store names waiting groups: every owner's first, then every owner's second, and so on, within
 * a turn in the order given, which is the longest waiting first.
 */
export function inTurns(waiting: readonly WaitingGroup[], limit: number, perOwner: number): readonly string[] {
  const turns = new Map<string, number>();
  const ranked = waiting.map(({ group }) => {
    const owner = groupOwner(group);
    const turn = turns.get(owner) ?? 0;
    turns.set(owner, turn + 1);
    return { group, turn };
  });
  return ranked
    .filter(({ turn }) => turn < perOwner)
    .sort((one, other) => one.turn - other.turn)
    .slice(0, limit)
    .map(({ group }) => group);
}

/** The groups of due items, which are sorted the longest due first. */
export function groupsOf(items: readonly WaitingGroup[]): WaitingGroup[] {
  const first = new Map<string, WaitingGroup>();
  for (const item of items) {
    if (!first.has(item.group)) first.set(item.group, item);
  }
  return [...first.values()];
}
