import type { ClaimedItem, ClaimRequest } from '@app/kernel';
import { parseDocument } from './documents';
import type { Statements } from './statements';

/** One list: the active version of a collection. */
export interface ListId {
  readonly collection: number;
  readonly version: number;
}

/**
 * An ended claim is kept this long, in ms, so that a holder who is late but was not overtaken can still renew it. Then it
 * goes, which also clears away the claims of items that have left the list.
 */
const ENDED_CLAIM_KEPT_MS = 60_000;

/** So many due items are looked at in the order of their due times before groups are asked one by one. */
const LONGEST_DUE_SCAN = 512;

/** Due items that nobody holds, the longest due first. Also tells whether a claim is worth a write transaction. */
export function claimableItems(statements: Statements, list: ListId, request: ClaimRequest): readonly ClaimedItem[] {
  const { nowMs: now, limit, group } = request;
  const rows =
    group === undefined
      ? statements.claimable.all({ ...list, now, limit })
      : statements.claimableOfGroup.all({ ...list, now, limit, group });
  return (rows as { key: string; body: string }[]).map(({ key, body }) => ({ key, document: parseDocument(body) }));
}

export function holdItems(
  statements: Statements,
  { collection }: ListId,
  items: readonly ClaimedItem[],
  { nowMs, owner, leaseMs }: ClaimRequest,
): void {
  statements.forgetEnded.run(collection, nowMs - ENDED_CLAIM_KEPT_MS);
  for (const { key } of items) statements.hold.run(collection, key, owner, nowMs + leaseMs);
}

/**
 * Mostly the first few hundred due items name enough groups, or all there are: that costs nothing for the many items that lie
 * in the future. When a crowded group fills them, the index is walked group by group instead: one step for each group,
 * however many items it has. The limit of it: a step takes about 1 µs also for a group with future items only, so that a hundred
 * thousand of those behind a crowded one stop the thread for 0.1 s.
 */
export function waitingGroups(statements: Statements, list: ListId, now: number, limit: number): readonly string[] {
  const longest = statements.longestDue.all({ ...list, now, limit: LONGEST_DUE_SCAN }) as { group: string }[];
  const groups = new Set(longest.map(({ group }) => group));
  if (groups.size >= limit || longest.length < LONGEST_DUE_SCAN) return [...groups].slice(0, limit);
  const all = statements.waitingGroups.all({ ...list, now, limit }) as {
    group: string;
    waiting_since: number | null;
  }[];
  return all.filter((each) => each.waiting_since !== null).map(({ group }) => group);
}

/** An item can be claimed from its due time on, and not before a lease on it has ended: the earliest such time. */
export function nextClaimableAtMs(statements: Statements, list: ListId): number | null {
  const { at: unclaimed } = (statements.nextUnclaimed.get({ ...list }) ?? { at: null }) as { at: number | null };
  const { at: claimed } = statements.nextClaimed.get({ ...list }) as { at: number | null };
  if (unclaimed === null || claimed === null) return unclaimed ?? claimed;
  return Math.min(unclaimed, claimed);
}
