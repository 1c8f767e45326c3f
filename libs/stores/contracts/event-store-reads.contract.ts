import type { EventStore, RecordedEvent } from '@app/event-sourcing';
import { idsOf, newCategory, newEvent, newEvents, readCategory } from './event-store-support.contract';

export function describeReads(store: () => EventStore): void {
  let category: string;
  beforeEach(() => {
    category = newCategory();
  });

  describe('of one stream', () => {
    it('return nothing for a stream that does not exist', async () => {
      expect(await store().readStream(`${category}-1`)).toEqual([]);
      expect(await store().readStream(`${category}-1`, { direction: 'backwards', maxCount: 1 })).toEqual([]);
    });

    it('return the appended events, with their places', async () => {
      const event = newEvent('Happened', { amount: '12' });
      const { position } = await store().append(`${category}-1`, 'no-stream', [event]);
      const expected: RecordedEvent = { ...event, streamId: `${category}-1`, revision: 0, position };
      expect(await store().readStream(`${category}-1`)).toEqual([expected]);
    });

    it.each([
      [{}, [0, 1, 2, 3, 4]],
      [{ from: 3 }, [3, 4]],
      [{ from: 1, maxCount: 2 }, [1, 2]],
      [{ maxCount: 2 }, [0, 1]],
      [{ from: 5 }, []],
      [{ from: 4, maxCount: 10 }, [4]],
      [{ direction: 'backwards' }, [4, 3, 2, 1, 0]],
      [{ direction: 'backwards', maxCount: 1 }, [4]],
      [{ direction: 'backwards', from: 2 }, [2, 1, 0]],
      [{ direction: 'backwards', from: 3, maxCount: 2 }, [3, 2]],
      [{ direction: 'backwards', from: 9, maxCount: 2 }, [4, 3]],
    ] as const)('with %j return revisions %j of 0 to 4', async (options, revisions) => {
      await store().append(`${category}-1`, 'no-stream', newEvents(5));
      const events = await store().readStream(`${category}-1`, options);
      expect(events.map(({ revision }) => revision)).toEqual(revisions);
    });

    it('return a long stream completely, in both directions', async () => {
      const events = newEvents(1_500);
      for (let n = 0; n < events.length; n += 500) {
        await store().append(`${category}-1`, n === 0 ? 'no-stream' : n - 1, events.slice(n, n + 500));
      }
      expect(idsOf(await store().readStream(`${category}-1`))).toEqual(idsOf(events));
      const backwards = await store().readStream(`${category}-1`, { direction: 'backwards', from: 1_200 });
      expect(idsOf(backwards)).toEqual(idsOf(events.slice(0, 1_201).reverse()));
    });
  });

  describe('of the log', () => {
    it('return the matching events in the order of their appends, in pages of any size', async () => {
      const after = await store().head();
      const appended: string[] = [];
      for (let n = 0; n < 12; n += 1) {
        const events = newEvents(1 + (n % 3));
        await store().append(`${category}-${n % 5}x${n}`, 'no-stream', events);
        await store().append(`${newCategory()}-1`, 'no-stream', [newEvent()]);
        appended.push(...idsOf(events));
      }
      for (const maxCount of [1, 4, 1_000]) {
        const events = await readCategory(store(), { streamPrefixes: [`${category}-`] }, { after, maxCount });
        expect(idsOf(events)).toEqual(appended);
      }
    });

    it('filter by several prefixes and by type', async () => {
      const after = await store().head();
      const other = newCategory();
      await store().append(`${category}-a1`, 'no-stream', [newEvent('A'), newEvent('B')]);
      await store().append(`${other}-1`, 'no-stream', [newEvent('A')]);
      await store().append(`${category}-b1`, 'no-stream', [newEvent('C')]);
      await store().append(category, 'no-stream', [newEvent('D')]);
      const read = async (streamPrefixes: string[], types?: string[]) => {
        const filter = types === undefined ? { streamPrefixes } : { streamPrefixes, types };
        const events = await readCategory(store(), filter, { after, maxCount: 2 });
        return events.map(({ streamId, type }) => streamId.replace(category, 'x').replace(other, 'y') + type);
      };
      expect(await read([`${category}-`])).toEqual(['x-a1A', 'x-a1B', 'x-b1C']);
      expect(await read([`${category}-a`])).toEqual(['x-a1A', 'x-a1B']);
      expect(await read([category])).toEqual(['x-a1A', 'x-a1B', 'x-b1C', 'xD']);
      expect(await read([`${category}-`, `${other}-`])).toEqual(['x-a1A', 'x-a1B', 'y-1A', 'x-b1C']);
      expect(await read([`${category}-a`, `${category}-`, `${other}-1`], ['A', 'C'])).toEqual([
        'x-a1A',
        'y-1A',
        'x-b1C',
      ]);
      expect(await read([`${category}-c`])).toEqual([]);
    });

    it('return the position up to which the log was considered, beyond events that do not match', async () => {
      const { position: mine } = await store().append(`${category}-1`, 'no-stream', newEvents(2));
      const { position: foreign } = await store().append(`${newCategory()}-1`, 'no-stream', newEvents(3));
      const filter = { streamPrefixes: [`${category}-`] };
      const page = await store().readAll({ after: null, filter, maxCount: 10 });
      expect(page).toMatchObject({ events: [{ revision: 0 }, { revision: 1, position: mine }], caughtUp: true });
      expect(page.position).toBeGreaterThanOrEqual(foreign);
      const next = await store().readAll({ after: page.position, filter, maxCount: 10 });
      expect(next).toMatchObject({ events: [], caughtUp: true });
      expect(next.position).toBeGreaterThanOrEqual(foreign);
    });

    it('return the position of the last event', async () => {
      const before = await store().head();
      const { position } = await store().append(`${category}-1`, 'no-stream', newEvents(2));
      const head = await store().head();
      expect(head).toBeGreaterThanOrEqual(position);
      expect(position).toBeGreaterThan(before ?? -1n);
    });
  });
}
