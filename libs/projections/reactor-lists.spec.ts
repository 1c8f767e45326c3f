import { ManualClock, settle } from '@app/platform/testing';
import {
  endAfterwards,
  endReactors,
  LIST,
  now,
  on,
  setUp,
  START_MS,
  TestedReactor,
  WrittenList,
} from './testing/reactors';

afterEach(endReactors);

describe('a list', () => {
  it('that is not complete is not worked, nor one that is lost from then on', async () => {
    const { clock, list, reactor } = await setUp({ slots: 1 });
    reactor.progress.lost(LIST.projection);
    void reactor.run();
    for (const key of ['a', 'b', 'c']) {
      list.isTold = false;
      await list.write(key, now());
    }
    await clock.advance(5_000);
    expect(reactor.started).toEqual([]);
    list.tell();
    await settle();
    expect(reactor.started).toEqual(['a']);
    reactor.progress.lost(LIST.projection);
    await settle();
    reactor.done('a', null);
    await clock.advance(5_000);
    expect(reactor.started).toEqual(['a']);
    list.tell();
    await settle();
    expect(reactor.started[1]).toBeDefined();
  });

  it.each([
    ['at once', now],
    ['at a promised time', on],
  ])('with more than memory holds, due %s, is worked whole, and nobody else waits for it', async (_when, due) => {
    const { clock, list, reactor } = await setUp({ slots: 100, maxWaiting: 200 });
    const crowd = Array.from({ length: 1_000 }, (_, n) => [`crowd${n}`, due(START_MS - 9_000 + n, 'crowd')] as const);
    await list.writeMany(new Map(crowd));
    await list.write('other', due(START_MS - 1, 'other'));
    void reactor.run();
    await settle();
    expect(reactor.started.slice(0, 3)).toContain('other');
    const worked = new Set<string>();
    for (let round = 0; round < 500 && worked.size < 1_001; round += 1) {
      const keys = [...reactor.inHand.keys()];
      for (const key of keys) worked.add(key);
      const position = list.position + 1n;
      for (const key of keys) reactor.done(key, position);
      await list.readStore.commit({ ...(await gone(list, keys)) });
      await list.open();
      list.tell();
      await clock.advance(100);
    }
    expect(worked.size).toBe(1_001);
  });

  it('with thousands that fall due within a minute is worked whole, each at its time', async () => {
    const { clock, list, reactor } = await setUp({ slots: 2_000, maxWaiting: 400, perform: async () => null });
    const dues = Array.from({ length: 1_200 }, (_, n) => [`k${n}`, on(START_MS + 1_000 + 50 * (n % 1_000))] as const);
    await list.writeMany(new Map(dues));
    const seen = new Map<string, number>();
    const timed = new TestedReactor(list, clock, {
      slots: 2_000,
      maxWaiting: 400,
      perform: async ({ key }) => {
        if (!seen.has(key)) seen.set(key, clock.nowMs());
        return list.position + 1n;
      },
    });
    endAfterwards(timed);
    void timed.run();
    for (let second = 0; second < 60; second += 1) await clock.advance(1_000);
    expect(seen.size).toBe(1_200);
    for (const [key, due] of dues) expect((seen.get(key) ?? 0) - due.dueAtMs).toBeGreaterThanOrEqual(0);
    void reactor;
  });
});

/** A commit that takes these items off the list. */
async function gone(list: WrittenList, keys: readonly string[]) {
  const { active } = await list.readStore.versions(LIST.projection);
  const next = { position: list.position + 1n, lastEvent: null, events: 1 };
  const writes = keys.map((key) => ({ collection: LIST.collection, key, document: null, listEntries: [] }));
  return { ...active!, expected: active!.checkpoint, next, writes };
}

describe('several processes', () => {
  async function two() {
    const [clock, frozenClock] = [new ManualClock(START_MS), new ManualClock(START_MS)];
    const list = await new WrittenList().open();
    const first = new TestedReactor(list, frozenClock, { owner: 'a', isAlone: false, slots: 1 });
    const second = new TestedReactor(list, clock, { owner: 'b', isAlone: false, slots: 1 });
    endAfterwards(first);
    endAfterwards(second);
    void first.run();
    await settle();
    void second.run();
    await settle();
    const advance = async (ms: number) => {
      for (let at = 0; at < ms; at += 500) {
        await frozenClock.advance(500);
        await clock.advance(500);
      }
    };
    return { clock, frozenClock, list, first, second, advance };
  }

  it('work a list one at a time', async () => {
    const { list, first, second, advance } = await two();
    await list.write('a', now());
    await list.write('b', now());
    await advance(20_000);
    expect([...first.started, ...second.started]).toEqual(['a']);
  });

  it('take over within seconds from one that is gone, which begins nothing more should it only have been frozen', async () => {
    const { clock, frozenClock, list, first, second } = await two();
    await list.write('a', now());
    await list.write('b', now());
    await settle();
    const [holder, other, holdersClock, othersClock] =
      first.started.length > 0 ? [first, second, frozenClock, clock] : [second, first, clock, frozenClock];
    expect(other.started).toEqual([]);
    await othersClock.advance(7_000);
    expect(other.started).toEqual(['a']);
    await holdersClock.advance(5_000);
    holder.done('a', list.position + 1n);
    await settle();
    expect(holder.started).toEqual(['a']);
  });

  it('hand it over at once where one stops', async () => {
    const { list, first, second, advance } = await two();
    await list.write('a', now());
    await settle();
    const [holder, other] = first.started.length > 0 ? [first, second] : [second, first];
    holder.stop.abort();
    holder.done('a', await list.write('a', null));
    await advance(2_500);
    await list.write('b', now());
    await settle();
    expect([holder.started, other.started]).toEqual([['a'], ['b']]);
  });
});
