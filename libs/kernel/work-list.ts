import type { Clock } from './environment';
import type { ClaimedItem, CollectionName, ReadStore } from './read-store';

/** How long a claim holds unless it is renewed: after a crash the item is free again after this. */
export const LEASE_MS = 10_000;
const RENEW_EVERY_MS = 3_000;
/** How long a finished item stays claimed while the projection has not taken it off the list yet. */
const SETTLE_LIMIT_MS = 5_000;
/** The list is looked at this often even if nobody wakes the worker. */
const MAX_WAIT_MS = 1_000;
/**
 * How long an item stays claimed that the list shows and its stream no longer asks for: a list that is not being followed, because
 * it is being built anew beside, would otherwise give it out again and again.
 */
const STALE_ITEM_MS = 1_000;
/** A pause where items are due that can't be had now: others hold them, or their group has no free place. */
const BUSY_WAIT_MS = 50;

export interface WorkSlots {
  /** Only this group's items; all groups' when absent. */
  readonly group?: string;
  readonly limit: number;
}

export interface WorkListOptions {
  readonly list: CollectionName;
  readonly readStore: ReadStore;
  readonly clock: Clock;
  /** Unique for each running process. */
  readonly owner: string;
  /** Items worked on at the same time. */
  readonly concurrency: number;
  /** Whether the list is whole: one that is still being rebuilt is never worked. */
  readonly isComplete: () => boolean;
  /** Resolves after `ms`, or sooner when the list has changed. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Resolves once the list shows everything up to the position, or after a while. */
  readonly reached: (position: bigint, limitMs: number) => Promise<void>;
  /** How the free places are to be shared out; by default the longest due items take them. */
  readonly share?: (free: number, nowMs: number) => Promise<readonly WorkSlots[]>;
  /**
   * Works on one item and records the outcome as an event; answers with the position of the last event appended, or null.
   * What it throws is given to `failed`, and the item is tried again when its lease ends.
   */
  readonly perform: (item: ClaimedItem, signal: AbortSignal) => Promise<bigint | null>;
  readonly failed: (item: ClaimedItem, error: unknown) => void;
  /** Called whenever a place gets free. */
  readonly wake: () => void;
}

/**
 * Works a to-do list off until `signal` is aborted: claims due items, works on them side by side, renews the claims as
 * long as that takes. Then it stops claiming and waits for what is in hand; `hurry` cuts that short.
 */
export async function runWorkList(options: WorkListOptions, stop: AbortSignal, hurry: AbortSignal): Promise<void> {
  const inHand = new Map<string, Promise<void>>();
  const claimed = new Set<string>();
  const ended = new AbortController();
  const signal = AbortSignal.any([stop, ended.signal]);
  const loops = [claimAndWork(options, inHand, claimed, signal, hurry), renewClaims(options, claimed, signal)];
  try {
    await Promise.all(loops);
  } finally {
    ended.abort();
    await Promise.allSettled([...loops, ...inHand.values()]);
    const left = [...claimed];
    // A `giveBack` that still waits must not release what the next run may have claimed by then.
    claimed.clear();
    await options.readStore.release(options.list, left, options.owner);
  }
}

async function claimAndWork(
  options: WorkListOptions,
  inHand: Map<string, Promise<void>>,
  claimed: Set<string>,
  signal: AbortSignal,
  hurry: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const free = options.concurrency - inHand.size;
    // Looking costs little and claiming a transaction: the list is mostly looked at in vain.
    const idleMs = free > 0 ? await untilDueMs(options) : MAX_WAIT_MS;
    if (idleMs > 0) {
      await options.wait(idleMs, signal);
      continue;
    }
    const items = await claimItems(options, free);
    for (const item of items) {
      // The store lost our claim, or its lease ended unnoticed, and gave us the item again: it is being worked on.
      if (inHand.has(item.key)) continue;
      claimed.add(item.key);
      const work = workOn(options, item, claimed, signal, hurry).finally(() => {
        inHand.delete(item.key);
        options.wake();
      });
      inHand.set(item.key, work);
    }
    if (items.length === 0) await options.wait(BUSY_WAIT_MS, signal);
  }
}

async function claimItems(options: WorkListOptions, free: number): Promise<readonly ClaimedItem[]> {
  const { list, readStore, clock, owner } = options;
  const nowMs = clock.nowMs();
  const slots = options.share === undefined ? [{ limit: free }] : await options.share(free, nowMs);
  const claims: ClaimedItem[] = [];
  for (const slot of slots) claims.push(...(await readStore.claim({ list, nowMs, owner, leaseMs: LEASE_MS, ...slot })));
  return claims;
}

async function workOn(
  options: WorkListOptions,
  item: ClaimedItem,
  claimed: Set<string>,
  stop: AbortSignal,
  hurry: AbortSignal,
): Promise<void> {
  try {
    const position = await options.perform(item, hurry);
    void giveBack(options, item, position, claimed, stop);
  } catch (error) {
    // The claim is kept until its lease ends, so that a broken item is not tried again and again without a pause.
    claimed.delete(item.key);
    options.failed(item, error);
  }
}

/** Waits until the list knows what was done, so that nobody takes the item up again in vain. */
async function giveBack(
  options: WorkListOptions,
  item: ClaimedItem,
  position: bigint | null,
  claimed: Set<string>,
  ended: AbortSignal,
): Promise<void> {
  try {
    if (position === null) await options.clock.sleep(STALE_ITEM_MS, ended);
    else await options.reached(position, SETTLE_LIMIT_MS);
    if (claimed.delete(item.key)) await options.readStore.release(options.list, [item.key], options.owner);
    options.wake();
  } catch (error) {
    claimed.delete(item.key);
    options.failed(item, error);
  }
}

async function renewClaims(options: WorkListOptions, claimed: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await options.clock.sleep(RENEW_EVERY_MS, signal);
    const untilMs = options.clock.nowMs() + LEASE_MS;
    await options.readStore.renew(options.list, [...claimed], options.owner, untilMs);
  }
}

/** How long there is nothing to claim, as far as can be told; 0 when something is due. */
async function untilDueMs(options: WorkListOptions): Promise<number> {
  if (!options.isComplete()) return MAX_WAIT_MS;
  const dueAtMs = await options.readStore.nextDueAtMs(options.list);
  if (dueAtMs === null) return MAX_WAIT_MS;
  return Math.min(Math.max(dueAtMs - options.clock.nowMs(), 0), MAX_WAIT_MS);
}
