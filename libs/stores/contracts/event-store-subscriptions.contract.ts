import { getEventListeners } from 'node:events';
import type { EventBatch, EventStore } from '@app/event-sourcing';
import { expectInOrder, follow, idsOf, newCategory, newEvent, newEvents } from './event-store-support.contract';

export function describeSubscriptions(store: () => EventStore): void {
  let category: string;
  let filter: { streamPrefixes: string[] };
  beforeEach(() => {
    category = newCategory();
    filter = { streamPrefixes: [`${category}-`] };
  });

  /** Appends single events to new streams of the category, several at a time; resolves to how many. */
  async function appendMany(count: number, prefix: string): Promise<number> {
    const append = (n: number) => store().append(`${category}-${prefix}${n}`, 'no-stream', [newEvent()]);
    for (let n = 0; n < count; n += 10) await Promise.all(Array.from({ length: 10 }, (_, k) => append(n + k)));
    return count;
  }

  it('catch up, report that they have, and deliver live events', async () => {
    const after = await store().head();
    const past = newEvents(25);
    await store().append(`${category}-1`, 'no-stream', past);
    const live = newEvents(3);
    let appended: Promise<unknown> | undefined;
    const { events, batches } = await follow(store(), {
      after,
      filter,
      onBatch: ({ caughtUp }) => {
        if (caughtUp) appended ??= store().append(`${category}-2`, 'no-stream', live);
      },
      until: (seen) => seen.length >= past.length + live.length,
    });
    await appended;
    expect(idsOf(events)).toEqual(idsOf([...past, ...live]));
    expect(batches.findIndex(({ caughtUp }) => caughtUp)).toBeGreaterThanOrEqual(2);
    expectInOrder(batches);
  });

  it('report that they are live if nothing matches', async () => {
    const { batches } = await follow(store(), { after: null, filter, until: (_, { caughtUp }) => caughtUp });
    expect(batches.at(-1)).toMatchObject({ events: [], caughtUp: true });
  });

  it('start after the given position', async () => {
    const events = newEvents(4);
    await store().append(`${category}-1`, 'no-stream', events);
    const [, second] = await store().readStream(`${category}-1`);
    const seen = await follow(store(), { after: second!.position, filter, until: (_, { caughtUp }) => caughtUp });
    expect(idsOf(seen.events)).toEqual(idsOf(events.slice(2)));
  });

  it('neither skip nor reorder for a slow consumer while others append', async () => {
    const after = await store().head();
    const past = await appendMany(50, 'past');
    const appending = appendMany(150, 'live');
    const { events, batches } = await follow(store(), {
      after,
      filter,
      maxBatch: 7,
      onBatch: () => new Promise((resolve) => setTimeout(resolve, 2)),
      until: (seen) => seen.length >= past + 150,
    });
    await appending;
    const { events: stored } = await store().readAll({ after, filter, maxCount: 1_000 });
    expect(idsOf(events)).toEqual(idsOf(stored));
    expect(stored).toHaveLength(200);
    expectInOrder(batches);
  });

  it('serve several subscribers, each with its own filter', async () => {
    const after = await store().head();
    const run = (own: { streamPrefixes: string[]; types?: string[] }, count: number) =>
      follow(store(), { after, filter: own, until: (seen) => seen.length >= count });
    const following = Promise.all([
      run(filter, 12),
      run({ ...filter, types: ['B'] }, 6),
      run({ streamPrefixes: [`${category}-2`] }, 6),
    ]);
    for (let n = 0; n < 3; n += 1) {
      const expected = n === 0 ? 'no-stream' : 2 * n - 1;
      await store().append(`${category}-1`, expected, [newEvent('A'), newEvent('B')]);
      await store().append(`${category}-2`, expected, [newEvent('A'), newEvent('B')]);
    }
    const [all, typed, one] = await following;
    expect(all.events.map(({ streamId, revision }) => streamId.slice(-1) + String(revision))).toEqual([
      '10',
      '11',
      '20',
      '21',
      '12',
      '13',
      '22',
      '23',
      '14',
      '15',
      '24',
      '25',
    ]);
    expect(typed.events).toEqual(all.events.filter(({ type }) => type === 'B'));
    expect(one.events).toEqual(all.events.filter(({ streamId }) => streamId.endsWith('-2')));
  });

  it('advance over events that do not match, both catching up and live', async () => {
    const { position: past } = await store().append(`${newCategory()}-1`, 'no-stream', newEvents(5));
    let foreign: bigint | undefined;
    const { events, batches } = await follow(store(), {
      after: null,
      filter,
      onBatch: async ({ caughtUp }) => {
        if (!caughtUp || foreign !== undefined) return;
        ({ position: foreign } = await store().append(`${newCategory()}-1`, 'no-stream', newEvents(5)));
      },
      until: (_, { position }) => foreign !== undefined && position !== null && position >= foreign,
    });
    expect(events).toEqual([]);
    expect(batches.find(({ caughtUp }) => caughtUp)?.position).toBeGreaterThanOrEqual(past);
    expectInOrder(batches);
  });

  describe('once aborted', () => {
    const subscribe = (signal: AbortSignal) =>
      store().subscribe({ after: null, filter, maxBatch: 10, signal })[Symbol.asyncIterator]();

    async function nextLive(batches: AsyncIterator<EventBatch>): Promise<void> {
      for (let next = await batches.next(); next.done !== true; next = await batches.next()) {
        if (next.value.caughtUp) return;
      }
    }

    it('end while they wait, and leave no listener behind', async () => {
      const abort = new AbortController();
      const batches = subscribe(abort.signal);
      await nextLive(batches);
      const waiting = batches.next();
      abort.abort();
      expect(await waiting).toMatchObject({ done: true });
      expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
    });

    it('end while the consumer is busy, even if more is stored', async () => {
      const abort = new AbortController();
      const batches = subscribe(abort.signal);
      await nextLive(batches);
      await store().append(`${category}-1`, 'no-stream', [newEvent()]);
      abort.abort();
      expect(await batches.next()).toMatchObject({ done: true });
    });

    it('deliver nothing if aborted from the start', async () => {
      expect(await subscribe(AbortSignal.abort()).next()).toMatchObject({ done: true });
    });
  });

  it('leave no listener behind when the consumer stops by itself', async () => {
    const abort = new AbortController();
    await store().append(`${category}-1`, 'no-stream', newEvents(2));
    for await (const batch of store().subscribe({ after: null, filter, maxBatch: 1, signal: abort.signal })) {
      if (batch.events.length > 0) break;
    }
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
  });
}
