import {
  ContentionError,
  type Due,
  dueAfter,
  dueAtOnce,
  dueOn,
  EventStoreUnavailableError,
  DamagedHistoryError,
} from '@app/kernel';
import { ForgedEntryError } from '@app/runtime';
import { ManualClock, settle } from '@app/runtime/testing';
import { LIST, START_MS, TestedReactor, WrittenList } from './testing/reactors';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

type Options = ConstructorParameters<typeof TestedReactor>[2];

async function setUp(options: Options = {}) {
  const clock = new ManualClock(START_MS);
  const list = await new WrittenList().open();
  const reactor = new TestedReactor(list, clock, options);
  ends.push(() => reactor.end());
  return { clock, list, reactor };
}

const now = (sinceMs = START_MS, group = ''): Due => ({ ...dueAtOnce(sinceMs), group });
const on = (dueAtMs: number, group = ''): Due => ({ ...dueOn(dueAtMs), group });

describe('what is due', () => {
  it('is worked on side by side, as much as may be at a time, the longest due first', async () => {
    const { list, reactor } = await setUp();
    for (const [key, ms] of Object.entries({ c: 3, a: 1, d: 4, b: 2 })) await list.write(key, now(ms));
    void reactor.run();
    await settle();
    expect(reactor.started).toEqual(['a', 'b']);
    reactor.done('b', await list.write('b', null));
    await settle();
    expect(reactor.started).toEqual(['a', 'b', 'c']);
  });

  it('is begun when it falls due, and at once where its wait was begun by a later clock', async () => {
    const { clock, list, reactor } = await setUp();
    void reactor.run();
    await list.write('a', on(START_MS + 700));
    await list.write('b', on(START_MS + 59_000));
    await list.write('far', on(START_MS + 3_600_000));
    await settle();
    await clock.advance(699);
    expect(reactor.started).toEqual([]);
    await clock.advance(1);
    expect(reactor.started).toEqual(['a']);
    reactor.done('a', await list.write('a', null));
    const later = START_MS + 10 * 3_600_000;
    await list.write('void', { ...dueAfter(later, later + 60_000), group: '' });
    await clock.advance(1_000);
    expect(reactor.started).toEqual(['a', 'void']);
    reactor.done('void', await list.write('void', null));
    await clock.advance(60_000);
    reactor.done('b', await list.write('b', null));
    await clock.advance(3_600_000);
    expect(reactor.started).toEqual(['a', 'void', 'b', 'far']);
  });

  it('is found at the start, whatever the clock shows', async () => {
    const { clock, list, reactor } = await setUp({ places: 9 });
    const later = START_MS + 3_600_000;
    await list.write('at once', now(later));
    await list.write('void', { ...dueAfter(later, later + 1_000), group: '' });
    await list.write('due', on(START_MS - 5));
    await list.write('not yet', on(later));
    void reactor.run();
    await clock.advance(1_000);
    expect([...reactor.started].sort()).toEqual(['at once', 'due', 'void']);
  });

  it('is begun when a change is told, and within a second when nobody tells', async () => {
    const { clock, list, reactor } = await setUp();
    void reactor.run();
    await settle();
    await list.write('told', now());
    await settle();
    expect(reactor.started).toEqual(['told']);
    list.isTold = false;
    await list.write('quiet', now());
    await settle();
    expect(reactor.started).toEqual(['told']);
    await clock.advance(1_000);
    expect(reactor.started).toEqual(['told', 'quiet']);
  });

  it('costs a look a second where nothing is due', async () => {
    const { clock, list, reactor } = await setUp();
    void reactor.run();
    await clock.advance(10_000);
    const { pages } = list.readStore;
    await clock.advance(60_000);
    expect(list.readStore.pages - pages).toBeLessThan(200);
  });
});

describe('a list', () => {
  it('that is not complete is not worked, nor one that is lost from then on', async () => {
    const { clock, list, reactor } = await setUp({ places: 1 });
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

  it('with more than memory holds is worked whole, and nobody else waits for it', async () => {
    const { clock, list, reactor } = await setUp({ places: 100 });
    const crowd = Array.from({ length: 21_000 }, (_, n) => [`crowd${n}`, now(START_MS + n, 'crowd')] as const);
    await list.writeMany(new Map(crowd));
    await list.write('other', now(START_MS + 99_000, 'other'));
    void reactor.run();
    await settle();
    expect(reactor.started.slice(0, 3)).toContain('other');
    const worked = new Set<string>();
    for (let round = 0; round < 500 && worked.size < 21_001; round += 1) {
      const keys = [...reactor.inHand.keys()];
      for (const key of keys) worked.add(key);
      const position = list.position + 1n;
      for (const key of keys) reactor.done(key, position);
      await list.readStore.commit({ ...(await gone(list, keys)) });
      await list.open();
      list.tell();
      await clock.advance(100);
    }
    expect(worked.size).toBe(21_001);
  });

  it('with thousands that fall due within a minute is worked whole, each at its time', async () => {
    const { clock, list, reactor } = await setUp({ places: 20_000, perform: async () => null });
    const dues = Array.from({ length: 12_000 }, (_, n) => [`k${n}`, on(START_MS + 1_000 + 5 * (n % 10_000))] as const);
    await list.writeMany(new Map(dues));
    const seen = new Map<string, number>();
    const timed = new TestedReactor(list, clock, {
      places: 20_000,
      perform: async ({ key }) => {
        if (!seen.has(key)) seen.set(key, clock.nowMs());
        return list.position + 1n;
      },
    });
    ends.push(() => timed.end());
    void timed.run();
    for (let second = 0; second < 60; second += 1) await clock.advance(1_000);
    expect(seen.size).toBe(12_000);
    for (const [key, due] of dues) expect((seen.get(key) ?? 0) - due.dueAtMs).toBeGreaterThanOrEqual(0);
    void reactor;
  });
});

/** A commit that takes these items off the list. */
async function gone(list: WrittenList, keys: readonly string[]) {
  const { active } = await list.readStore.versions(LIST.projection);
  const next = { position: list.position + 1n, lastEvent: null, events: 1 };
  const writes = keys.map((key) => ({ collection: LIST.collection, key, document: null, places: [] }));
  return { ...active!, expected: active!.checkpoint, next, writes };
}

describe('an item', () => {
  it('is not begun again until its list shows the outcome, and then where that is due', async () => {
    const { clock, list, reactor } = await setUp();
    void reactor.run();
    await list.write('a', now());
    await settle();
    reactor.done('a', list.position + 1n);
    await clock.advance(30_000);
    expect(reactor.started).toEqual(['a']);
    await list.write('a', on(START_MS + 40_000));
    await clock.advance(9_000);
    expect(reactor.started).toEqual(['a']);
    await clock.advance(1_000);
    expect(reactor.started).toEqual(['a', 'a']);
  });

  it('of which the list shows another state while it is in hand is begun once more', async () => {
    const { list, reactor } = await setUp();
    void reactor.run();
    await list.write('a', now());
    await settle();
    const own = await list.write('a', now());
    const others = await list.write('a', now());
    reactor.done('a', own);
    await settle();
    expect(reactor.started).toEqual(['a', 'a']);
    reactor.done('a', others + 1n);
    await settle();
    expect(reactor.started).toEqual(['a', 'a']);
  });

  it('that asks for nothing is looked at again after a second, as long as it stands on the list', async () => {
    const { clock, list, reactor } = await setUp();
    void reactor.run();
    await list.write('a', now());
    await settle();
    reactor.done('a', null);
    await settle();
    expect(reactor.started).toEqual(['a']);
    await clock.advance(2_000);
    expect(reactor.started).toEqual(['a', 'a']);
    await list.write('a', null);
    reactor.done('a', null);
    await clock.advance(20_000);
    expect(reactor.started).toEqual(['a', 'a']);
  });

  it('that fails is told, and tried again after ten seconds', async () => {
    const { clock, list, reactor } = await setUp();
    void reactor.run();
    await list.write('a', now());
    await settle();
    const error = new Error('broken');
    reactor.inHand.get('a')!.fail(error);
    await clock.advance(9_000);
    expect(reactor.started).toEqual(['a']);
    expect(reactor.logger.records).toMatchObject([
      { level: 'error', fields: { worker: 'worker', item: 'a' }, cause: error },
    ]);
    await clock.advance(2_000);
    expect(reactor.started).toEqual(['a', 'a']);
  });

  it.each([
    [new EventStoreUnavailableError('no node', { cause: new Error('refused') }), 'no node; caused by: refused'],
    [new ContentionError('payment-1', 'races lost: 9'), 'Stream payment-1 is too busy: races lost: 9'],
  ])('that fails for what passes is a warning with the reason', async (error, reason) => {
    const { list, reactor } = await setUp();
    void reactor.run();
    await list.write('a', now());
    await settle();
    reactor.inHand.get('a')!.fail(error);
    await settle();
    expect(reactor.logger.records).toMatchObject([{ level: 'warn', fields: { item: 'a', reason }, cause: undefined }]);
  });

  it.each([
    ['forged', new ForgedEntryError('there is no such payment')],
    ['damaged', new DamagedHistoryError({ streamId: 's', revision: 0 }, 'FOREIGN', 'it is of others')],
  ])('that is %s is told, and left alone for a minute', async (_what, error) => {
    const { clock, list, reactor } = await setUp();
    void reactor.run();
    await list.write('a', now());
    await settle();
    reactor.inHand.get('a')!.fail(error);
    await clock.advance(59_000);
    expect(reactor.started).toEqual(['a']);
    await clock.advance(2_000);
    expect(reactor.started).toEqual(['a', 'a']);
    expect([...reactor.findings.damages, ...reactor.findings.forgeries]).toHaveLength(1);
  });

  it('whose document is not one of ours is due at once, and nobody else waits', async () => {
    const { list, reactor } = await setUp({ places: 9 });
    await list.write('a', now());
    const strange = { dueAtMs: 'x', waitsFromMs: {}, group: 7 } as unknown as Due;
    const { active } = await list.readStore.versions(LIST.projection);
    const next = { position: 9n, lastEvent: null, events: 1 };
    const places = [{ list: 'due now', order: '~ no place of ours' }];
    const writes = ['b', 'c'].map((key) => ({ collection: LIST.collection, key, document: { due: strange }, places }));
    await list.readStore.commit({ ...active!, expected: active!.checkpoint, next, writes });
    void reactor.run();
    await settle();
    expect([...reactor.started].sort()).toEqual(['a', 'b', 'c']);
  });
});

describe('a stop', () => {
  it('begins nothing more, waits for what is in hand, and cuts it off when its time is over', async () => {
    const { clock, list, reactor } = await setUp();
    const ended = reactor.run();
    for (const key of ['a', 'b', 'c']) await list.write(key, now());
    await settle();
    reactor.stop.abort();
    reactor.done('a', null);
    await clock.advance(4_900);
    const { abort } = reactor.inHand.get('b')!;
    expect(abort.aborted).toBe(false);
    await clock.advance(200);
    expect(abort.aborted).toBe(true);
    reactor.done('b', null);
    expect(await ended).toBe('ended');
    expect(reactor.started).toEqual(['a', 'b']);
  });
});

describe('a read store that is away', () => {
  it('is said once an outage, does not hold up what is known, and is read again within a second of its return', async () => {
    const { clock, list, reactor } = await setUp({ places: 1 });
    void reactor.run();
    await list.write('a', now());
    await list.write('b', now());
    await settle();
    list.readStore.isAway = true;
    await clock.advance(1_500);
    reactor.done('a', 99n);
    await clock.advance(30_000);
    expect(reactor.started).toEqual(['a', 'b']);
    const waiting = { level: 'warn', message: 'due work waits for the read store', fields: { worker: 'worker' } };
    expect(reactor.logger.records).toMatchObject([waiting]);
    list.readStore.isAway = false;
    reactor.done('b', 99n);
    list.isTold = false;
    await list.write('c', now());
    await clock.advance(1_000);
    expect(reactor.started).toEqual(['a', 'b', 'c']);
    await clock.advance(20_000);
    list.readStore.isAway = true;
    await clock.advance(20_000);
    expect(reactor.logger.records).toMatchObject([waiting, waiting]);
    list.readStore.isAway = false;
  });
});

describe('several processes', () => {
  async function two() {
    const [clock, frozenClock] = [new ManualClock(START_MS), new ManualClock(START_MS)];
    const list = await new WrittenList().open();
    const first = new TestedReactor(list, frozenClock, { owner: 'a', isAlone: false, places: 1 });
    const second = new TestedReactor(list, clock, { owner: 'b', isAlone: false, places: 1 });
    ends.push(
      () => first.end(),
      () => second.end(),
    );
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
