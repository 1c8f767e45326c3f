import { Nudge } from '@app/runtime';
import { ManualClock, settle } from '@app/runtime/testing';
import { MemoryReadStore } from '@app/storage/memory/read-store';
import type { ClaimedItem } from './read-store';
import { LEASE_MS, runWorkList, type WorkListOptions } from './work-list';

const LIST = { projection: 'work', collection: 'items' };
const START_MS = Date.UTC(2030, 0, 1);

/** What an item's work is told to come to. */
interface InHand {
  readonly item: ClaimedItem;
  readonly hurry: AbortSignal;
  done(position: bigint | null): void;
  fail(error: Error): void;
}

const stops: (() => Promise<unknown>)[] = [];

async function setUp(overrides: Partial<WorkListOptions> = {}) {
  const clock = new ManualClock(START_MS);
  const readStore = new MemoryReadStore();
  let version = await readStore.open(LIST.projection, { codeHash: 'code', head: null, nowMs: 1 });
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
  const seen = { inHand, started, failures, shown, waits: () => waits };
  return { clock, readStore, write, stop, hurry, run, nudge, claimOfAnother, ...seen };
}

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

describe('runWorkList', () => {
  it('works on due items side by side, at most as many as it may, the longest due first', async () => {
    const { write, run, started, inHand } = await setUp();
    await write('c', START_MS);
    await write('a', START_MS - 2_000);
    await write('b', START_MS - 1_000);
    void run();
    await settle();
    expect(started).toEqual(['a', 'b']);
    await write('a', null);
    inHand.get('a')!.done(null);
    await settle();
    expect(started).toEqual(['a', 'b', 'c']);
  });

  it('does not ask for more while every place is taken', async () => {
    const { write, run, clock, waits } = await setUp();
    for (const key of ['a', 'b', 'c']) await write(key, START_MS);
    void run();
    await settle();
    const before = waits();
    await clock.advance(2_000);
    expect(waits() - before).toBeLessThanOrEqual(2);
  });

  it('takes an item up when it falls due', async () => {
    const { write, run, started, clock } = await setUp();
    await write('a', START_MS + 400);
    void run();
    await clock.advance(399);
    expect(started).toEqual([]);
    await clock.advance(1);
    expect(started).toEqual(['a']);
  });

  it('looks at the list once a second even if nobody wakes it, and at once when somebody does', async () => {
    const { write, run, started, clock, nudge } = await setUp();
    void run();
    await settle();
    await write('a', START_MS);
    await clock.advance(1_000);
    expect(started).toEqual(['a']);
    await write('b', START_MS);
    nudge.wake();
    await settle();
    expect(started).toEqual(['a', 'b']);
  });

  it('never works a list that is not complete', async () => {
    let complete = false;
    const { write, run, started, clock, waits } = await setUp({ isComplete: () => complete });
    await write('a', START_MS);
    void run();
    await clock.advance(5_000);
    expect(started).toEqual([]);
    expect(waits()).toBeLessThanOrEqual(7);
    complete = true;
    await clock.advance(1_000);
    expect(started).toEqual(['a']);
  });

  it('shares its free places out as it is told, without spinning over items that get none', async () => {
    const { write, run, started, clock, waits } = await setUp({
      share: async (free) => (free === 2 ? [{ list: LIST, group: 'm1', limit: 1 }] : []),
    });
    await write('a', START_MS, 'm1');
    await write('b', START_MS, 'm1');
    await write('c', START_MS, 'm2');
    void run();
    await settle();
    expect(started).toEqual(['a']);
    const before = waits();
    await clock.advance(1_000);
    expect(waits() - before).toBeLessThanOrEqual(21);
  });
});

describe('several lists', () => {
  const OTHER = { projection: 'other', collection: LIST.collection };

  async function setUpTwo(overrides: Partial<WorkListOptions> = {}) {
    const env = await setUp({ lists: [LIST, OTHER], ...overrides });
    const { readStore } = env;
    let version = await readStore.open(OTHER.projection, { codeHash: 'code', head: null, nowMs: 1 });
    const writeOther = async (keys: readonly string[]) => {
      const next = { position: (version.checkpoint?.position ?? 0n) + 1n, lastEvent: null, events: 0 };
      const due = { dueAtMs: START_MS, group: '' };
      const writes = keys.map((key) => ({ collection: OTHER.collection, key, document: { key }, due, places: [] }));
      await readStore.commit({ ...version, expected: version.checkpoint, next, writes });
      version = { ...version, checkpoint: next };
    };
    return { ...env, writeOther };
  }

  it('share the places, and none of them is worked before the other for ever', async () => {
    const { write, writeOther, run, started, inHand, shown } = await setUpTwo();
    for (const key of ['a1', 'a2', 'a3', 'a4']) await write(key, START_MS);
    await writeOther(['b1', 'b2', 'b3', 'b4']);
    void run();
    await settle();
    expect(started).toHaveLength(2);
    for (const key of [...started]) inHand.get(key)!.done(1n);
    await settle();
    expect(started).toHaveLength(4);
    expect(new Set(started.map((key) => key[0]))).toEqual(new Set(['a', 'b']));
    expect(shown).toHaveLength(2);
  });

  it('are worked each as soon as it is complete', async () => {
    let complete = false;
    const { write, writeOther, run, started, clock } = await setUpTwo({
      isComplete: ({ projection }) => complete || projection === OTHER.projection,
    });
    await write('a', START_MS);
    await writeOther(['b']);
    void run();
    await clock.advance(5_000);
    expect(started).toEqual(['b']);
    complete = true;
    await clock.advance(1_000);
    expect(started).toEqual(['b', 'a']);
  });

  it('keep their claims, and get them back, each its own', async () => {
    const { write, writeOther, run, clock, claimOfAnother, readStore, inHand, stop } = await setUpTwo();
    const claimOther = () =>
      readStore.claim({ list: OTHER, nowMs: clock.nowMs(), limit: 9, owner: 'worker-2', leaseMs: LEASE_MS });
    await write('a', START_MS);
    await writeOther(['b']);
    const ended = run();
    await clock.advance(25_000);
    expect([await claimOfAnother(), await claimOther()]).toEqual([[], []]);
    stop.abort();
    for (const { done } of inHand.values()) done(1n);
    await settle();
    expect(await ended).toBe('ended');
    const keys = [...(await claimOfAnother()), ...(await claimOther())].map(({ key }) => key);
    expect(keys).toEqual(['a', 'b']);
  });
});

describe('a claim', () => {
  it('is renewed for as long as the work takes', async () => {
    const { write, run, clock, claimOfAnother } = await setUp();
    await write('a', START_MS);
    void run();
    for (let elapsedMs = 0; elapsedMs < 60_000; elapsedMs += 2_500) {
      await clock.advance(2_500);
      expect(await claimOfAnother()).toEqual([]);
    }
  });

  it('is kept until the list shows the outcome, so that nobody takes the item up in vain', async () => {
    const { write, run, clock, inHand, started, shown, claimOfAnother } = await setUp();
    await write('a', START_MS);
    void run();
    await settle();
    inHand.get('a')!.done(17n);
    await clock.advance(12_000);
    expect(started).toEqual(['a']);
    expect(await claimOfAnother()).toEqual([]);
    await write('a', clock.nowMs() + 5_000);
    shown[0]!();
    await clock.advance(4_999);
    expect(started).toEqual(['a']);
    await clock.advance(1);
    expect(started).toEqual(['a', 'a']);
  });

  it('of an item that asks for nothing any more is kept for a second, so that a stale list makes nobody spin', async () => {
    const { write, run, clock, inHand, started } = await setUp();
    await write('a', START_MS);
    void run();
    await settle();
    inHand.get('a')!.done(null);
    await clock.advance(999);
    expect(started).toEqual(['a']);
    await clock.advance(60);
    expect(started).toEqual(['a', 'a']);
  });

  it('of an item that failed is left to run out, and nothing is told twice', async () => {
    const { write, run, clock, inHand, started, failures } = await setUp();
    await write('a', START_MS);
    void run();
    await settle();
    const error = new Error('no luck');
    inHand.get('a')!.fail(error);
    await clock.advance(LEASE_MS - 1);
    expect(started).toEqual(['a']);
    expect(failures).toEqual([{ key: 'a', error }]);
    await clock.advance(1_001);
    expect(started).toEqual(['a', 'a']);
  });

  it('that the store has lost does not set a second worker on an item in hand', async () => {
    const { write, run, readStore, started, clock } = await setUp();
    await write('a', START_MS);
    void run();
    await settle();
    await readStore.release(LIST, ['a'], 'worker-1');
    await clock.advance(2_000);
    expect(started).toEqual(['a']);
  });

  it('is not kept for ever when nobody can tell whether the list shows the outcome', async () => {
    const { write, run, clock, inHand, started, failures } = await setUp({
      reached: () => Promise.reject(new Error('progress unknown')),
    });
    await write('a', START_MS);
    void run();
    await settle();
    inHand.get('a')!.done(17n);
    await clock.advance(LEASE_MS + 1_000);
    expect(failures).toMatchObject([{ key: 'a' }]);
    expect(started).toEqual(['a', 'a']);
  });
});

describe('stopping', () => {
  it('claims nothing more, finishes what is in hand, and gives everything back', async () => {
    const { write, run, clock, inHand, started, stop, claimOfAnother } = await setUp();
    for (const key of ['a', 'b', 'c']) await write(key, START_MS);
    const ended = run();
    let over = false;
    void ended.then(() => (over = true));
    await settle();
    stop.abort();
    inHand.get('a')!.done(null);
    await clock.advance(5_000);
    expect(over).toBe(false);
    inHand.get('b')!.done(null);
    expect(await ended).toBe('ended');
    expect(started).toEqual(['a', 'b']);
    expect((await claimOfAnother()).map(({ key }) => key)).toEqual(['a', 'b', 'c']);
  });

  it('is hurried along by a signal that reaches the work', async () => {
    const { write, run, inHand, stop, hurry } = await setUp();
    await write('a', START_MS);
    const ended = run();
    await settle();
    stop.abort();
    expect(inHand.get('a')!.hurry.aborted).toBe(false);
    hurry.abort();
    expect(inHand.get('a')!.hurry.aborted).toBe(true);
    inHand.get('a')!.done(null);
    expect(await ended).toBe('ended');
  });

  it('never lets an earlier run release what a later one has claimed', async () => {
    const { write, run, clock, readStore, inHand, shown, started } = await setUp();
    await write('a', START_MS);
    const first = run();
    await settle();
    inHand.get('a')!.done(17n);
    await settle();
    const renew = readStore.renew.bind(readStore);
    readStore.renew = () => Promise.reject(new Error('the store is away'));
    await clock.advance(3_000);
    expect(await first).toMatchObject({ message: 'the store is away' });
    readStore.renew = renew;
    void run();
    await settle();
    expect(started).toEqual(['a', 'a']);
    const released: (readonly string[])[] = [];
    readStore.release = async (_list, keys) => void released.push(keys);
    shown[0]!();
    await settle();
    expect(released).toEqual([]);
  });
});

describe('a read store that fails', () => {
  it.each(['claim', 'nextDueAtMs', 'renew'] as const)(
    'on %s ends the run with its error, after the work in hand',
    async (method) => {
      const { write, run, clock, readStore, inHand } = await setUp();
      await write('a', START_MS);
      const ended = run();
      let over = false;
      void ended.then(() => (over = true));
      await settle();
      Object.assign(readStore, { [method]: () => Promise.reject(new Error('the store is away')) });
      await clock.advance(4_000);
      expect(over).toBe(false);
      inHand.get('a')!.done(null);
      await clock.advance(1_000);
      expect(await ended).toMatchObject({ message: 'the store is away' });
    },
  );

  it('on release is told as a failure of the item, and the lease ends by itself', async () => {
    const { write, run, clock, readStore, inHand, failures, started } = await setUp();
    const release = readStore.release.bind(readStore);
    readStore.release = () => Promise.reject(new Error('the store is away'));
    await write('a', START_MS);
    void run();
    await settle();
    inHand.get('a')!.done(null);
    await clock.advance(1_000);
    expect(failures).toMatchObject([{ key: 'a', error: { message: 'the store is away' } }]);
    readStore.release = release;
    await clock.advance(LEASE_MS + 1_000);
    expect(started).toEqual(['a', 'a']);
  });
});
