import { groupOwner } from '@app/kernel';
import { groupsOf, inTurns, type WaitingGroup } from '../../due-turns';
import type { Statements } from './statements';
import type { ListId } from './todo-list';

/** So many due items, or twice the limit, are looked at in the order of their due times before owners are asked one by one. */
const LONGEST_DUE_SCAN = 512;

/** Due items that one look at all owners may visit, and groups, 1-2 µs each; shared out among the owners. */
const ITEMS_SCAN = 2_048;
const GROUPS_SCAN = 2_048;

/** Owners whose rounds are remembered; beyond that all begin again. */
const MAX_ROUNDS = 10_000;

interface Wanted {
  readonly nowMs: number;
  readonly limit: number;
  readonly perOwner: number;
}

/** How far the look through an owner's groups has come, where they are too many for one call. */
export class GroupRounds {
  private readonly lastSeen = new Map<string, string>();

  startOf(list: ListId, owner: string): string | null {
    return this.lastSeen.get(nameOf(list, owner)) ?? null;
  }

  /** `last` is null when the round ended. */
  cameTo(list: ListId, owner: string, last: string | null): void {
    const name = nameOf(list, owner);
    this.lastSeen.delete(name);
    if (last === null) return;
    if (this.lastSeen.size >= MAX_ROUNDS) this.lastSeen.clear();
    this.lastSeen.set(name, last);
  }
}

function nameOf({ collection }: ListId, owner: string): string {
  return `${collection} ${owner}`;
}

/**
 * Mostly the first few hundred due items are all there are, or name as many owners as are wanted: that costs nothing for
 * the many items that lie in the future. Otherwise the index is walked owner by owner, one step for each, and then each owner is asked for its groups, for as many as
 * fill the limit. The limit of it: a step takes about 2 µs, also for an owner with future items only, so that ten thousand
 * owners stop the thread for 20 ms.
 */
export function waitingGroups(
  statements: Statements,
  list: ListId,
  { nowMs: now, limit, perOwner }: Wanted,
  rounds: GroupRounds,
): readonly string[] {
  const scan = Math.max(LONGEST_DUE_SCAN, 2 * limit);
  const longest = statements.longestDue.all({ ...list, now, limit: scan }) as unknown as WaitingGroup[];
  const groups = groupsOf(longest);
  const ownersSeen = new Set(groups.map(({ group }) => groupOwner(group))).size;
  if (longest.length < scan || ownersSeen >= limit) return inTurns(groups, limit, perOwner);
  const owners = statements.waitingOwners.all({ ...list, now, limit }) as unknown as WaitingOwner[];
  const found = new Map(owners.map(({ owner, ...first }) => [owner, [first] as readonly WaitingGroup[]]));
  let quota = 1;
  let asked = [...found.keys()];
  for (;;) {
    const left = limit - [...found.values()].reduce((sum, { length }) => sum + length, 0);
    if (left <= 0 || quota >= perOwner || asked.length === 0) break;
    // What some leave free goes to those that have more.
    quota = Math.min(perOwner, quota + Math.ceil(left / asked.length));
    const bounds = { now, quota, items: share(ITEMS_SCAN, asked), groups: share(GROUPS_SCAN, asked) };
    for (const owner of asked) found.set(owner, groupsOfOwner(statements, list, owner, bounds, rounds));
    asked = asked.filter((owner) => found.get(owner)?.length === quota);
  }
  return inTurns(longestFirst([...found.values()].flat()), limit, perOwner);
}

/** An owner with its longest waiting group. */
interface WaitingOwner extends WaitingGroup {
  readonly owner: string;
}

interface Bounds {
  readonly now: number;
  /** So many groups are wanted. */
  readonly quota: number;
  /** So many items and groups may be looked at, at least twice the quota. */
  readonly items: number;
  readonly groups: number;
}

/** The longest waiting groups of one owner, from its longest due items; from its groups where a few crowd those out. */
function groupsOfOwner(
  statements: Statements,
  list: ListId,
  owner: string,
  { now, quota, items, groups }: Bounds,
  rounds: GroupRounds,
): readonly WaitingGroup[] {
  const limit = Math.max(items, 2 * quota);
  const due = statements.longestDueOfOwner.all({ ...list, now, owner, limit }) as unknown as WaitingGroup[];
  const longest = groupsOf(due);
  if (longest.length >= quota || due.length < limit) return longest.slice(0, quota);
  const steps = Math.max(groups, 2 * quota);
  const walked = walk(statements, list, owner, now, steps, rounds);
  return longestFirst(groupsOf([...longest, ...walked])).slice(0, quota);
}

/** Looks at the owner's next groups; at all of them where they are not more than `steps`. */
function walk(
  statements: Statements,
  list: ListId,
  owner: string,
  now: number,
  steps: number,
  rounds: GroupRounds,
): readonly WaitingGroup[] {
  const start = rounds.startOf(list, owner);
  const next = (from: string, limit: number) =>
    statements.nextGroupsOfOwner.all({ ...list, now, owner, from, limit }) as {
      group: string;
      sinceMs: number | null;
    }[];
  const seen = next(start === null ? '' : `${start}\0`, steps);
  if (start !== null && seen.length < steps) seen.push(...next('', steps - seen.length));
  rounds.cameTo(list, owner, seen.at(-1)?.group ?? null);
  return seen.flatMap(({ group, sinceMs }) => (sinceMs === null ? [] : [{ group, sinceMs }]));
}

function share(total: number, among: readonly unknown[]): number {
  return Math.ceil(total / among.length);
}

function longestFirst(groups: readonly WaitingGroup[]): readonly WaitingGroup[] {
  return [...groups].sort((one, other) => one.sinceMs - other.sinceMs);
}
