import { Nudge } from '@app/runtime';
import { ManualClock } from '@app/runtime/testing';
import { MemoryReadStore } from '@app/storage/memory/read-store';
import type { ClaimedItem } from '../read-store';
import { LEASE_MS, runWorkList, type WorkListOptions } from '../work-list';

export const LIST = { projection: 'work', collection: 'items' };
export const START_MS = Date.UTC(2030, 0, 1);

/** What an item's work is told to come to. */
interface InHand {
  readonly item: ClaimedItem;
  readonly hurry: AbortSignal;
  done(position: bigint | null): void;
  fail(error: Error): void;
}

const stops: (() => Promise<unknown>)[] = [];

/** A list on a store in memory, and what works it off when `run` is called: whoever tests decides when each item is done. */
export async function setUp(overrides: Partial<WorkListOptions> = {}) {
  const clock = new ManualClock(START_MS);
  const readStore = new MemoryReadStore();
  let version = await readStore.open(LIST.projection, { declaredVersion: 1, head: null, nowMs: 1 });
  const write = async (key: string, dueAtMs: number | null, group = '') => {
    const next = { position: (version.checkpoint?.position ?? 0n) + 1n, lastEvent: null, events: 0 };
    const document = dueAtMs === null ? null : { key };
    const due = dueAtMs === null ? null : { dueAtMs, group };
    const writes = [{ collection: LIST.collection, key, document, due, places: [] }];
    await readStore.commit({ ...version, expected: version.checkpoint, next, writes });
    version = { ...version, checkpoint: next };
  };
  const nudge = new Nudge(clock);
  const inHand = new Map<string, InHand>();
  const started: string[] = [];
  const outages: string[] = [];
  const failures: { key: string; error: unknown }[] = [];
  const shown: (() => void)[] = [];
  let waits = 0;
  const options: WorkListOptions = {
    lists: [LIST],
    readStore,
    clock,
    owner: 'worker-1',
    concurrency: 2,
    isComplete: () => true,
    wait: (ms, signal) => {
      waits += 1;
      return nudge.wait(ms, signal);
    },
    reached: () => new Promise<void>((resolve) => shown.push(resolve)),
    perform: (item, hurry) => {
      started.push(item.key);
      return new Promise((done, fail) => inHand.set(item.key, { item, hurry, done, fail }));
    },
    failed: (item, error) => failures.push({ key: item.key, error }),
    readStoreAway: ({ message }) => outages.push(message),
    wake: () => nudge.wake(),
    ...overrides,
  };
  const stop = new AbortController();
  const hurry = new AbortController();
  const run = () => {
    const ended = runWorkList(options, stop.signal, hurry.signal);
    const settled = ended.then(() => 'ended').catch((error: unknown) => error);
    stops.push(async () => {
      stop.abort();
      for (const { done } of inHand.values()) done(null);
      for (const show of shown) show();
      await settled;
    });
    return settled;
  };
  const claimOfAnother = () =>
    readStore.claim({ list: LIST, nowMs: clock.nowMs(), limit: 100, owner: 'worker-2', leaseMs: LEASE_MS });
  const seen = { inHand, started, failures, outages, shown, waits: () => waits };
  return { clock, readStore, write, stop, hurry, run, nudge, claimOfAnother, ...seen };
}

/** Ends what was run: for after each test. */
export async function stopAll(): Promise<void> {
  for (const stop of stops.splice(0)) await stop();
}
