import { type ClaimedItem, type ClaimRequest, type ClockReading, groupOwner } from '@app/kernel';
import { parseDocument } from './parse';
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

/** Due items that nobody holds, the longest due first. Also tells whether a claim is worth a write transaction. */
export function claimableItems(statements: Statements, list: ListId, request: ClaimRequest): readonly ClaimedItem[] {
  const { nowMs: now, limit, group } = request;
  const rows =
    group === undefined
      ? statements.claimable.all({ ...list, now, limit })
      : statements.claimableOfGroup.all({ ...list, now, limit, group, owner: groupOwner(group) });
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

/** So many void waits are ended in one go, as a write transaction keeps others waiting. */
const VOID_AT_ONCE = 500;

export function hasVoidWaits(statements: Statements, list: ListId, now: ClockReading, leaseMs: number): boolean {
  const { wallMs: wall, settledMs: settled } = now;
  const lastLease = wall + 2 * leaseMs;
  return (statements.hasVoid.get({ ...list, wall, settled, lastLease, limit: 1 }) as { found: number }).found === 1;
}

export function endVoidWaits(statements: Statements, list: ListId, now: ClockReading, leaseMs: number): void {
  const { wallMs: wall, settledMs: settled } = now;
  statements.endVoidWaits.run({ ...list, wall, settled, limit: VOID_AT_ONCE });
  statements.freeVoidClaims.run(list.collection, wall + 2 * leaseMs);
}

/** An item can be claimed from its due time on, and not before a lease on it has ended: the earliest such time. */
export function nextClaimableAtMs(statements: Statements, list: ListId): number | null {
  const { at: unclaimed } = (statements.nextUnclaimed.get({ ...list }) ?? { at: null }) as { at: number | null };
  const { at: claimed } = statements.nextClaimed.get({ ...list }) as { at: number | null };
  if (unclaimed === null || claimed === null) return unclaimed ?? claimed;
  return Math.min(unclaimed, claimed);
}
