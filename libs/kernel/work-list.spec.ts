import { settle } from '@app/runtime/testing';
import { LIST, setUp, START_MS, stopAll } from './testing/work-list';
import { LEASE_MS } from './work-list';

afterEach(stopAll);

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
