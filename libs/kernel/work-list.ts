import type { Clock } from './environment';
import { ReadStoreUnavailableError } from './errors';
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
/** How long an item stays claimed that can't be worked on as things are; then it is looked at once more. */
export const SET_ASIDE_MS = 60_000;
/** A pause where items are due that can't be had now: others hold them, or their group has no free place. */
const BUSY_WAIT_MS = 50;
/** A pause after the read store was away, too short to leave what is due undone for long once it is back. */
const RECONNECT_AFTER_MS = 500;

export interface WorkSlots {
  /** One of the lists that are worked. */
  readonly list: CollectionName;
  /** Only this group's items; all groups' when absent. */
  readonly group?: string;
  readonly limit: number;
}

export interface WorkListOptions {
  /** Worked as one: they share the places. An item is on one of them only. */
  readonly lists: readonly CollectionName[];
  readonly readStore: ReadStore;
  readonly clock: Clock;
  /** Unique for each running process. */
  readonly owner: string;
  /** Items worked on at the same time. */
  readonly concurrency: number;
  /** Whether the list is whole: one that is still being rebuilt is never worked. */
  readonly isComplete: (list: CollectionName) => boolean;
  /** Resolves after `ms`, or sooner when a list has changed. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Resolves once the list shows everything up to the position, or after a while. */
  readonly reached: (list: CollectionName, position: bigint, limitMs: number) => Promise<void>;
  /** How the free places are to be shared out; by default the longest due items take them, each time of another list first. */
  readonly share?: (free: number, nowMs: number) => Promise<readonly WorkSlots[]>;
  /**
   * Works on one item and records the outcome as an event; answers with the position of the last event appended, or null.
   * `set aside` has it left alone for a minute. What it throws is given to `failed`, and the item is tried again when its lease
   * ends.
   */
  readonly perform: (item: ClaimedItem, signal: AbortSignal) => Promise<Performed>;
  readonly failed: (item: ClaimedItem, error: unknown) => void;
  /** Told each time that the read store was away: it is asked again and again, while what is in hand goes on. */
  readonly readStoreAway: (error: ReadStoreUnavailableError) => void;
  /** Called whenever a place gets free. */
  readonly wake: () => void;
}

/** What became of an item: the position of the last event that was appended, or null where there was nothing to do. */
export type Performed = bigint | null | 'set aside';

/**
 * Works to-do lists off until `signal` is aborted: claims due items, works on them side by side, renews the claims as
 * long as that takes, also when the read store was away meanwhile. Then it stops claiming and waits for what is in hand; `hurry`
 * cuts that short.
 */
export async function runWorkList(options: WorkListOptions, stop: AbortSignal, hurry: AbortSignal): Promise<void> {
  const inHand = new Map<string, Promise<void>>();
  const claims = new Claims(options);
  const ended = new AbortController();
  const signal = AbortSignal.any([stop, ended.signal]);
  const loops = [claimAndWork(options, inHand, claims, signal, hurry), renewClaims(options, claims, signal)];
  try {
    await Promise.all(loops);
  } finally {
    ended.abort();
    await Promise.allSettled([...loops, ...inHand.values()]);
    await throughOutages(options, ended.signal, () => claims.releaseAll());
  }
}

interface Claimed {
  readonly list: CollectionName;
  readonly item: ClaimedItem;
}

/** What is held, by the items' keys, and of which list it is. */
class Claims {
  private readonly lists = new Map<string, CollectionName>();

  constructor(private readonly options: Pick<WorkListOptions, 'readStore' | 'owner'>) {}

  hold({ list, item }: Claimed): void {
    this.lists.set(item.key, list);
  }

  /** Not held any more, but not given back either: it is free again when its lease ends. */
  leave({ item }: Claimed): void {
    this.lists.delete(item.key);
  }

  async release({ item, list }: Claimed): Promise<void> {
    if (!this.lists.delete(item.key)) return;
    const { readStore, owner } = this.options;
    await readStore.release(list, [item.key], owner);
  }

  async renewAll(untilMs: number): Promise<void> {
    const { readStore, owner } = this.options;
    await this.each(this.lists, (list, keys) => readStore.renew(list, keys, owner, untilMs));
  }

  async releaseAll(): Promise<void> {
    const { readStore, owner } = this.options;
    const left = new Map(this.lists);
    // A `giveBack` that still waits must not release what the next run may have claimed by then.
    this.lists.clear();
    await this.each(left, (list, keys) => readStore.release(list, keys, owner));
  }

  private async each(
    claims: ReadonlyMap<string, CollectionName>,
    step: (list: CollectionName, keys: readonly string[]) => Promise<unknown>,
  ): Promise<void> {
    const lists = new Set(claims.values());
    const keysOf = (list: CollectionName) => [...claims].flatMap(([key, of]) => (of === list ? [key] : []));
    await Promise.all([...lists].map((list) => step(list, keysOf(list))));
  }
}

async function claimAndWork(
  options: WorkListOptions,
  inHand: Map<string, Promise<void>>,
  claims: Claims,
  signal: AbortSignal,
  hurry: AbortSignal,
): Promise<void> {
  const begin = (claimed: Claimed) => {
    const { key } = claimed.item;
    // The store lost our claim, or its lease ended unnoticed, and gave us the item again: it is being worked on.
    if (inHand.has(key)) return;
    claims.hold(claimed);
    const work = workOn(options, claimed, claims, signal, hurry).finally(() => {
      inHand.delete(key);
      options.wake();
    });
    inHand.set(key, work);
  };
  let turn = 0;
  let voidEndedAtMs = -Infinity;
  const lookAndClaim = async () => {
    const free = options.concurrency - inHand.size;
    // Looking costs little and claiming a transaction: the lists are mostly looked at in vain.
    const idleMs = free > 0 ? await untilDueMs(options) : MAX_WAIT_MS;
    if (idleMs > 0 || options.clock.monotonicMs() - voidEndedAtMs >= MAX_WAIT_MS) {
      voidEndedAtMs = options.clock.monotonicMs();
      if (await endVoidWaits(options)) return;
    }
    if (idleMs > 0) return options.wait(idleMs, signal);
    const found = await claimItems(options, free, turn, begin);
    turn += 1;
    if (found === 0) await options.wait(BUSY_WAIT_MS, signal);
  };
  while (!signal.aborted) await throughOutages(options, signal, lookAndClaim);
}

/** Begins what each claim brings at once, so that nothing stays claimed in vain when the next one fails; answers with how many. */
async function claimItems(
  options: WorkListOptions,
  free: number,
  turn: number,
  begin: (claimed: Claimed) => void,
): Promise<number> {
  const { readStore, clock, owner, share } = options;
  const nowMs = clock.settledMs();
  const claim = async ({ list, ...slots }: WorkSlots) => {
    const items = await readStore.claim({ list, nowMs, owner, leaseMs: LEASE_MS, ...slots });
    for (const item of items) begin({ list, item });
    return items.length;
  };
  if (share !== undefined) {
    const claims = (await share(free, nowMs)).map(claim);
    // The places of those that are still under way when one fails aren't free.
    await Promise.allSettled(claims);
    return (await Promise.all(claims)).reduce((sum, found) => sum + found, 0);
  }
  let claimed = 0;
  const lists = options.lists.filter((list) => options.isComplete(list));
  for (let nth = 0; nth < lists.length && claimed < free; nth += 1) {
    const list = lists[(turn + nth) % lists.length];
    if (list !== undefined) claimed += await claim({ list, limit: free - claimed });
  }
  return claimed;
}

async function workOn(
  options: WorkListOptions,
  claimed: Claimed,
  claims: Claims,
  stop: AbortSignal,
  hurry: AbortSignal,
): Promise<void> {
  try {
    const performed = await options.perform(claimed.item, hurry);
    void giveBack(options, claimed, performed, claims, stop);
  } catch (error) {
    // The claim is kept until its lease ends, so that a broken item is not tried again and again without a pause.
    claims.leave(claimed);
    options.failed(claimed.item, error);
  }
}

/** Waits until the list knows what was done, so that nobody takes the item up again in vain. */
async function giveBack(
  options: WorkListOptions,
  claimed: Claimed,
  performed: Performed,
  claims: Claims,
  ended: AbortSignal,
): Promise<void> {
  try {
    if (performed === 'set aside') await options.clock.sleep(SET_ASIDE_MS, ended);
    else if (performed === null) await options.clock.sleep(STALE_ITEM_MS, ended);
    else await options.reached(claimed.list, performed, SETTLE_LIMIT_MS);
    await claims.release(claimed);
    options.wake();
  } catch (error) {
    claims.leave(claimed);
    options.failed(claimed.item, error);
  }
}

async function renewClaims(options: WorkListOptions, claims: Claims, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await options.clock.sleep(RENEW_EVERY_MS, signal);
    await throughOutages(options, signal, () => claims.renewAll(options.clock.settledMs() + LEASE_MS));
  }
}

/** Does `step` again after a pause each time that the read store was away; given up once `signal` is aborted. */
async function throughOutages(
  { clock, readStoreAway }: Pick<WorkListOptions, 'clock' | 'readStoreAway'>,
  signal: AbortSignal,
  step: () => Promise<void>,
): Promise<void> {
  do {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof ReadStoreUnavailableError)) throw error;
      readStoreAway(error);
      await clock.sleep(RECONNECT_AFTER_MS, signal);
    }
  } while (!signal.aborted);
}

/** What waits by a later clock than this one's would wait for as long as the clock was put back. */
async function endVoidWaits({ lists, isComplete, readStore, clock }: WorkListOptions): Promise<boolean> {
  const now = { wallMs: clock.nowMs(), settledMs: clock.settledMs() };
  const found = await Promise.all(lists.filter(isComplete).map((list) => readStore.endVoidWaits(list, now, LEASE_MS)));
  return found.includes(true);
}

/** How long there is nothing to claim, as far as can be told; 0 when something is due. */
async function untilDueMs({ lists, isComplete, readStore, clock }: WorkListOptions): Promise<number> {
  const dueAtMs = await Promise.all(lists.filter(isComplete).map((list) => readStore.nextDueAtMs(list)));
  const firstMs = Math.min(...dueAtMs.map((ms) => ms ?? Infinity));
  return Math.min(Math.max(firstMs - clock.settledMs(), 0), MAX_WAIT_MS);
}
