import { dueAfter, dueAtOnce, dueOn } from '@app/event-sourcing';
import { behindPosition, behindTime, positionAt, TO_DO } from '@app/event-sourcing/reactor/to-do-entries';
import { item, LIST, NOW, type ReadStoreFixture, removal } from './read-store.fixture';

/** The sorted lists of which a to-do list consists: see `toDoPlaces`. */
export function describeToDoLists(t: ReadStoreFixture): void {
  const { now, later, waits, changes } = TO_DO;

  describe('a to-do list', () => {
    it('stands in the order of its times, and in that of its changes', async () => {
      await t.write(
        item('at once, second', dueAtOnce(NOW), 1n),
        item('at once, first', dueAtOnce(NOW - 9), 2n),
        item('put off', dueAfter(NOW, NOW + 50), 3n),
        item('promised', dueOn(NOW + 20), 9n),
        item('put off for long', dueAfter(NOW - 30, NOW + 99), 10n),
      );
      expect(await t.toDo(now)).toEqual(['at once, first', 'at once, second']);
      expect(await t.toDo(later)).toEqual(['promised', 'put off', 'put off for long']);
      expect(await t.toDo(waits)).toEqual(['put off for long', 'put off']);
      const inOrder = ['at once, second', 'at once, first', 'put off', 'promised', 'put off for long'];
      expect(await t.toDo(changes)).toEqual(inOrder);
      expect(await t.toDo(later, { until: behindTime(NOW + 49) })).toEqual(['promised']);
      expect(await t.toDo(later, { until: behindTime(NOW + 50) })).toEqual(['promised', 'put off']);
      expect(await t.toDo(changes, { after: behindPosition(3n) })).toEqual(['promised', 'put off for long']);
    });

    it('has an item that changed in one commit in the lists of its new state alone', async () => {
      await t.write(item('k', dueAtOnce(NOW), 1n), item('l', dueAfter(NOW, NOW + 5), 2n), item('m', dueOn(NOW), 3n));
      await t.write(
        item('k', dueAfter(NOW, NOW + 9), 4n),
        item('l', dueOn(NOW + 7), 5n),
        item('m', dueAtOnce(NOW), 6n),
      );
      expect([await t.toDo(now), await t.toDo(later)]).toEqual([['m'], ['l', 'k']]);
      expect([await t.toDo(waits), await t.toDo(changes)]).toEqual([['k'], ['k', 'l', 'm']]);
      await t.write(item('k', dueAtOnce(NOW - 1), 7n), item('m', dueAtOnce(NOW), 8n));
      expect([await t.toDo(now), await t.toDo(later)]).toEqual([['k', 'm'], ['l']]);
      expect([await t.toDo(waits), await t.toDo(changes)]).toEqual([[], ['l', 'k', 'm']]);
    });

    it('loses an item that is removed, wherever it stood, and has it again when it comes back', async () => {
      await t.write(
        item('k', dueAfter(NOW, NOW + 5), 1n),
        item('l', dueAtOnce(NOW), 2n),
        item('stays', dueOn(NOW), 3n),
      );
      await t.write(removal('k'), removal('l'), removal('never there'));
      expect(await Promise.all([now, later, waits, changes].map((list) => t.toDo(list)))).toEqual([
        [],
        ['stays'],
        [],
        ['stays'],
      ]);
      await t.write(item('k', dueAtOnce(NOW), 4n));
      expect([await t.toDo(now), await t.toDo(later), await t.toDo(changes)]).toEqual([
        ['k'],
        ['stays'],
        ['stays', 'k'],
      ]);
    });

    it('tells with each entry which state of which item it is of', async () => {
      await t.write(item('some key', dueAtOnce(NOW), 2n ** 60n));
      const request = { name: LIST, direction: 'ascending' as const, after: null, limit: 1 };
      for (const list of [now, changes]) {
        const [found] = await t.store.page({ ...request, list });
        expect(found).toMatchObject({ key: 'some key', document: { key: 'some key' } });
        expect(positionAt(found!.order)).toBe(2n ** 60n);
      }
    });

    it('is read page by page however long it is, and gives each item once', async () => {
      const keys = Array.from({ length: 10_000 }, (_, n) => `k${String(n).padStart(5, '0')}`);
      await t.write(...keys.map((key, n) => item(key, dueAtOnce(NOW - 20_000 + (n % 100)), BigInt(n))));
      const sorted = [...keys.keys()].sort((one, other) => (one % 100) - (other % 100) || one - other);
      const seen: string[] = [];
      for (let after: string | null = null; ;) {
        const request = { name: LIST, list: now, direction: 'ascending' as const, after, limit: 1_000 };
        const page = await t.store.page(request);
        if (page.length === 0) break;
        seen.push(...page.map(({ key }) => key));
        after = page.at(-1)!.order;
      }
      expect(seen).toEqual(sorted.map((n) => keys[n]));
      expect(await t.toDo(changes, { after: behindPosition(9_996n) })).toEqual(keys.slice(9_997));
      await t.write(...keys.slice(0, 5_000).map(removal), ...keys.slice(5_000).map((key) => item(key, dueOn(NOW))));
      expect(await t.toDo(now)).toEqual([]);
      expect(await t.toDo(later, { limit: 10_000 })).toEqual(keys.slice(5_000));
    });
  });
}
