import { dueAfter, dueAtOnce, dueOn } from '@app/kernel';
import {
  DECLARED,
  item,
  LEASE,
  LIST,
  NOW,
  OTHER_DECLARED,
  PROJECTION,
  type ReadStoreFixture,
  removal,
  waiting,
} from './read-store.fixture';

/** What is due, whose turn it is, and who holds it. */
export function describeTodoLists(t: ReadStoreFixture): void {
  describe('to-do lists', () => {
    it('claims what is due, the longest due first, up to the limit', async () => {
      await t.write(
        item('late', NOW),
        item('latest', NOW + 1),
        item('early', NOW - 50),
        item('first', NOW - 2_000_000_000),
      );
      expect(await t.claim('w', NOW, 2)).toEqual(['first', 'early']);
      expect(await t.claim('w')).toEqual(['late']);
      expect(await t.claim('w', NOW + 1)).toEqual(['latest']);
    });

    it('hands out documents, and never one that is not due or has no due time', async () => {
      await t.write({ ...item('k', NOW), document: { amount: '12' } }, item('future', NOW + 1), {
        ...item('off', 0),
        due: null,
      });
      const claimed = await t.store.claim({ list: LIST, nowMs: NOW, limit: 10, owner: 'w', leaseMs: LEASE });
      expect(claimed).toEqual([{ key: 'k', document: { amount: '12' } }]);
      expect(await t.store.depth(LIST)).toBe(2);
      expect(await t.store.getMany(LIST, ['off'])).toEqual([{ key: 'off' }]);
    });

    it('claims from one group alone when asked to', async () => {
      await t.write(
        item('a1', NOW - 3, 'a'),
        item('b1', NOW - 2, 'b'),
        item('b2', NOW - 1, 'b'),
        item('b3', NOW + 1, 'b'),
      );
      expect(await t.claim('w', NOW, 10, 'b')).toEqual(['b1', 'b2']);
      expect(await t.claim('w', NOW, 10, 'none')).toEqual([]);
      expect(await t.claim('w')).toEqual(['a1']);
    });

    it('names the groups that wait, the longest waiting first', async () => {
      await t.write(
        item('a1', NOW - 1, 'a'),
        item('a2', NOW - 9, 'a'),
        item('b1', NOW - 5, 'b'),
        item('c1', NOW + 1, 'c'),
      );
      await t.write(item('d1', NOW - 7, 'd'));
      expect(await t.store.dueGroups(LIST, NOW, 10, 10)).toEqual(['a', 'd', 'b']);
      expect(await t.store.dueGroups(LIST, NOW, 2, 2)).toEqual(['a', 'd']);
      expect(await t.claim('w', NOW, 1)).toEqual(['a2']);
      expect(await t.store.dueGroups(LIST, NOW, 10, 10)).toEqual(['d', 'b', 'a']);
      await t.claim('w', NOW, 10, 'd');
      expect(await t.store.dueGroups(LIST, NOW, 10, 10)).toEqual(['b', 'a']);
      expect(await t.store.dueGroups(LIST, NOW + LEASE, 10, 10)).toEqual(['a', 'd', 'b', 'c']);
    });

    it('sees small groups behind a crowded one', async () => {
      const crowd = Array.from({ length: 3_000 }, (_, index) => item(`crowd${index}`, NOW - 10_000 + index, 'crowd'));
      await t.write(
        ...crowd,
        item('x', NOW - 2, 'x'),
        item('z', NOW - 3, 'z'),
        item('y', NOW - 1, 'y'),
        item('f', NOW + 1, 'f'),
      );
      expect(await t.store.dueGroups(LIST, NOW, 10, 10)).toEqual(['crowd', 'z', 'x', 'y']);
      expect(await t.store.dueGroups(LIST, NOW, 3, 3)).toEqual(['crowd', 'z', 'x']);
      await t.claim('w', NOW, 10, 'z');
      await t.claim('w', NOW, 2_000, 'crowd');
      expect(await t.store.dueGroups(LIST, NOW, 10, 10)).toEqual(['crowd', 'x', 'y']);
    });

    it('moves an item with its new due time and group, and takes it off without one', async () => {
      await t.write(item('k', NOW, 'a'), item('l', NOW - 1, 'a'));
      await t.write(item('k', NOW + 500, 'b'), { ...item('l', 0), due: null });
      expect(await t.claim('w')).toEqual([]);
      expect(await t.store.dueGroups(LIST, NOW + 500, 10, 10)).toEqual(['b']);
      expect(await t.store.nextDueAtMs(LIST)).toBe(NOW + 500);
      expect(await t.store.depth(LIST)).toBe(1);
    });
  });

  describe('a clock that was put back', () => {
    const HOUR = 3_600_000;

    it('keeps nothing waiting that is due at once', async () => {
      await t.write(waiting('k', dueAtOnce(NOW + 1), 'a'), waiting('l', dueAtOnce(NOW + HOUR), 'b'));
      expect(await t.claim('w')).toEqual([]);
      await t.endVoidWaits(NOW);
      expect(await t.store.nextDueAtMs(LIST)).toBe(NOW);
      expect(await t.store.firstDueAtMs(LIST)).toBe(NOW);
      expect([...(await t.store.dueGroups(LIST, NOW, 10, 10))].sort()).toEqual(['a', 'b']);
      expect(await t.claim('w', NOW, 10, 'b')).toEqual(['l']);
      expect(await t.claim('w')).toEqual(['k']);
    });

    it('ends a delay that began later than it shows, and leaves others and promised dates alone', async () => {
      await t.write(
        waiting('begun later', dueAfter(NOW + HOUR, NOW + HOUR + 5_000)),
        waiting('begun now', dueAfter(NOW, NOW + 5_000)),
        waiting('begun a little later', dueAfter(NOW + 4_000, NOW + 9_000)),
        waiting('promised', dueOn(NOW + HOUR)),
      );
      await t.endVoidWaits(NOW);
      expect(await t.claim('w')).toEqual(['begun later']);
      expect(await t.claim('w', NOW + 5_000)).toEqual(['begun now']);
      expect(await t.claim('w', NOW + 9_000)).toEqual(['begun a little later']);
    });

    it('does not end a delay where only the settled time is behind', async () => {
      await t.write(waiting('at once', dueAtOnce(NOW + HOUR)), waiting('k', dueAfter(NOW + HOUR, NOW + HOUR + 5_000)));
      await t.endVoidWaits(NOW + HOUR, NOW);
      expect(await t.claim('w')).toEqual(['at once']);
    });

    it('ends waits again and again, as often as it is put back', async () => {
      await t.write(waiting('k', dueAtOnce(NOW)), waiting('l', dueAfter(NOW, NOW + 100)));
      for (const behind of [1, HOUR, 2 * HOUR]) {
        await t.endVoidWaits(NOW - behind);
        expect([...(await t.claim('w', NOW - behind))].sort()).toEqual(behind === 1 ? ['k'] : ['k', 'l']);
        await t.store.release(LIST, ['k', 'l'], 'w');
      }
      await t.write(waiting('k', dueAfter(NOW, NOW + 100)), removal('l'));
      expect(await t.claim('w', NOW + 99)).toEqual([]);
      expect(await t.claim('w', NOW + 100)).toEqual(['k']);
    });

    it('ends the waits of very many', async () => {
      const many = Array.from({ length: 1_200 }, (_, index) =>
        waiting(`k${index}`, dueAtOnce(NOW + index), `g${index % 7}`),
      );
      await t.write(...many);
      await t.endVoidWaits(NOW - 1);
      expect(await t.claim('w', NOW - 1, 2_000)).toHaveLength(1_200);
      expect(await t.store.endVoidWaits(LIST, { wallMs: NOW - 1, settledMs: NOW - 1 }, LEASE)).toBe(false);
    });

    it('frees what would be held for more than twice its lease', async () => {
      await t.write(item('k', NOW - HOUR));
      await t.claim('one');
      await t.endVoidWaits(NOW - LEASE);
      expect(await t.claim('two', NOW - LEASE)).toEqual([]);
      await t.endVoidWaits(NOW - LEASE - 1);
      expect(await t.claim('two', NOW - LEASE - 1)).toEqual(['k']);
      expect(await t.store.renew(LIST, ['k'], 'one', NOW)).toEqual([]);
    });
  });

  describe('claims', () => {
    it('gives each item to one of many that claim at once', async () => {
      await t.write(...Array.from({ length: 50 }, (_, index) => item(`k${index}`, NOW - index)));
      const claimed = await Promise.all(Array.from({ length: 12 }, (_, index) => t.claim(`w${index}`, NOW, 7)));
      expect(claimed.flat()).toHaveLength(50);
      expect(new Set(claimed.flat()).size).toBe(50);
    });

    it('does not give an item to its own holder again', async () => {
      await t.write(item('k', NOW));
      expect(await t.claim('w')).toEqual(['k']);
      expect(await t.claim('w')).toEqual([]);
    });

    it('holds until the lease has ended, to the millisecond', async () => {
      await t.write(item('k', NOW));
      expect(await t.claim('one')).toEqual(['k']);
      expect(await t.claim('two', NOW + LEASE - 1)).toEqual([]);
      expect(await t.claim('two', NOW + LEASE)).toEqual(['k']);
      expect(await t.store.renew(LIST, ['k'], 'one', NOW + 9 * LEASE)).toEqual([]);
      expect(await t.claim('one', NOW + 2 * LEASE - 1)).toEqual([]);
    });

    it('is renewed by its holder only, and never shortened', async () => {
      await t.write(item('k', NOW), item('l', NOW + 1));
      await t.claim('one', NOW);
      expect(await t.store.renew(LIST, ['k', 'l', 'm'], 'two', NOW + 90_000)).toEqual([]);
      expect(await t.store.renew(LIST, ['l', 'k', 'm'], 'one', NOW + 30_000)).toEqual(['k']);
      expect(await t.store.renew(LIST, ['k'], 'one', NOW + 20_000)).toEqual(['k']);
      expect(await t.claim('two', NOW + 29_999)).toEqual(['l']);
      expect(await t.claim('two', NOW + 30_000)).toEqual(['k']);
      expect(await t.store.renew(LIST, [], 'two', NOW)).toEqual([]);
    });

    it('is given back by its holder only', async () => {
      await t.write(item('k', NOW), item('l', NOW + 1));
      await t.claim('one', NOW);
      await t.store.release(LIST, ['k', 'm'], 'two');
      expect(await t.claim('two')).toEqual([]);
      await t.store.release(LIST, ['m', 'k'], 'one');
      expect(await t.store.renew(LIST, ['k'], 'one', NOW + LEASE)).toEqual([]);
      expect(await t.claim('two')).toEqual(['k']);
      await t.store.release(LIST, [], 'two');
    });

    it('outlives the versions', async () => {
      await t.write(item('k', NOW), item('free', NOW));
      await t.claim('one', NOW, 10, 'g');
      await t.store.release(LIST, ['free'], 'one');
      t.version = await t.store.restart(PROJECTION, { declaredVersion: DECLARED, head: 1n, nowMs: 1 });
      expect(await t.store.renew(LIST, ['k'], 'one', NOW + 2 * LEASE)).toEqual(['k']);
      await t.write(item('k', NOW), item('free', NOW));
      expect(await t.claim('two')).toEqual(['free']);
      t.version = await t.store.restart(PROJECTION, { declaredVersion: OTHER_DECLARED, head: 1n, nowMs: 1 });
      await t.write(item('k', NOW), item('free', NOW + 1));
      expect(await t.claim('three', NOW + 1)).toEqual([]);
      expect(await t.claim('three', NOW + 2 * LEASE)).toEqual(['k', 'free']);
    });

    it('holds for an item that left the list and came back', async () => {
      await t.write(item('k', NOW));
      await t.claim('one');
      await t.write(removal('k'));
      expect(await t.store.depth(LIST)).toBe(0);
      expect(await t.store.nextDueAtMs(LIST)).toBeNull();
      expect(await t.claim('two', NOW + LEASE)).toEqual([]);
      await t.store.release(LIST, ['k'], 'one');
      await t.write(item('k', NOW));
      expect(await t.claim('two')).toEqual(['k']);
      await t.write(removal('k'));
      await t.write(item('k', NOW));
      expect(await t.claim('one', NOW + LEASE - 1)).toEqual([]);
      expect(await t.claim('one', NOW + LEASE)).toEqual(['k']);
    });

    it('holds while the item gets another due time', async () => {
      await t.write(item('k', NOW, 'a'));
      await t.claim('one');
      await t.write(item('k', NOW + 5, 'b'));
      expect(await t.claim('two', NOW + 5)).toEqual([]);
      expect(await t.store.dueGroups(LIST, NOW + 5, 10, 10)).toEqual([]);
      await t.store.release(LIST, ['k'], 'one');
      expect(await t.claim('two', NOW + 4)).toEqual([]);
      expect(await t.claim('two', NOW + 5, 10, 'b')).toEqual(['k']);
    });

    it('belongs to one list', async () => {
      const elsewhere = { projection: PROJECTION, collection: 'other list' };
      await t.write(item('k', NOW), { ...item('k', NOW), collection: elsewhere.collection });
      expect(await t.claim('one')).toEqual(['k']);
      expect(await t.store.renew(elsewhere, ['k'], 'one', NOW + LEASE)).toEqual([]);
      const claimed = await t.store.claim({ list: elsewhere, nowMs: NOW, limit: 1, owner: 'two', leaseMs: LEASE });
      expect(claimed).toHaveLength(1);
    });
  });

  describe('the next due time', () => {
    it('is that of the first item, due or not', async () => {
      expect(await t.store.nextDueAtMs(LIST)).toBeNull();
      await t.write(item('future', NOW + 900), item('further', NOW + 1_000), { ...item('off', 0), due: null });
      expect(await t.store.nextDueAtMs(LIST)).toBe(NOW + 900);
      await t.write(item('past', NOW - 900));
      expect(await t.store.nextDueAtMs(LIST)).toBe(NOW - 900);
    });

    it('is the end of the lease where all else falls due later', async () => {
      await t.write(item('k', NOW), item('l', NOW - 1), item('future', NOW + LEASE + 1));
      await t.claim('w');
      expect(await t.store.nextDueAtMs(LIST)).toBe(NOW + LEASE);
      await t.store.renew(LIST, ['k', 'l'], 'w', NOW + LEASE + 2);
      expect(await t.store.nextDueAtMs(LIST)).toBe(NOW + LEASE + 1);
      await t.store.release(LIST, ['k'], 'w');
      expect(await t.store.nextDueAtMs(LIST)).toBe(NOW);
    });

    it('is the due time of a claimed item that falls due after its lease', async () => {
      await t.write(item('k', NOW));
      await t.claim('w');
      await t.write(item('k', NOW + 3 * LEASE));
      expect(await t.store.nextDueAtMs(LIST)).toBe(NOW + 3 * LEASE);
    });
  });

  describe('the first due time', () => {
    it('is that of the first item, due or not', async () => {
      expect(await t.store.firstDueAtMs(LIST)).toBeNull();
      await t.write(item('future', NOW + 900), item('further', NOW + 1_000), { ...item('off', 0), due: null });
      expect(await t.store.firstDueAtMs(LIST)).toBe(NOW + 900);
      await t.write(item('past', NOW - 900));
      expect(await t.store.firstDueAtMs(LIST)).toBe(NOW - 900);
      await t.write(removal('past'), removal('future'), removal('further'));
      expect(await t.store.firstDueAtMs(LIST)).toBeNull();
    });

    it('stays while the item is held, and when its lease has ended', async () => {
      await t.write(item('k', NOW - 5), item('l', NOW));
      await t.claim('w', NOW, 1);
      expect(await t.store.firstDueAtMs(LIST)).toBe(NOW - 5);
      expect(await t.claim('w', NOW + LEASE, 1)).toEqual(['k']);
      expect(await t.store.firstDueAtMs(LIST)).toBe(NOW - 5);
    });
  });
}
