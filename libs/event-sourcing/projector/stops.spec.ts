import { settle } from '@app/platform/testing';
import type { Projection } from '../projection';
import { totals, totalsProjection } from '../testing/counter';
import { setUp, start, stopAll } from '../testing/projectors';
import { noteStop } from '../testing/stops';
import { ownEvent } from '../testing/recorded-events';

afterEach(stopAll);

const failing = ownEvent('p', 'Exploded');

describe('an event that can not be digested', () => {
  it('stops the version before it, which says where and why, and projects what came before it', async () => {
    const parts = setUp();
    const { observer } = start(parts);
    await parts.count('counter-1', 1);
    await parts.count('counter-2', 5);
    await parts.eventStore.append('counter-1', 0, [failing]);
    await parts.count('counter-3', 7);
    await settle();
    const [at] = await parts.eventStore.readStream('counter-1', { from: 1 });
    expect((await parts.readStore.versions('totals')).active).toMatchObject({
      checkpoint: { lastEvent: { streamId: 'counter-2' }, events: 2 },
      stop: {
        position: at!.position,
        event: { id: 'p', type: 'Exploded', streamId: 'counter-1', revision: 1 },
        reason: expect.stringMatching(/totals stops at Exploded counter-1@1 .*its type is unknown/) as string,
        atMs: parts.clock.nowMs(),
      },
    });
    expect(await parts.documents('counter-1', 'counter-2', 'counter-3')).toEqual([
      { total: 1, events: 1 },
      { total: 5, events: 1 },
      null,
    ]);
    expect(observer.told).toEqual(['stopped 1 at p']);
    expect(observer.commits.at(-1)!.stop).not.toBeNull();
  });

  it.each(['key', 'evolve'] as const)('is also one that %s throws on', async (method) => {
    const parts = setUp();
    await parts.count('counter-1', 1);
    const failing = () => {
      throw new Error('no idea');
    };
    const broken = { ...totalsProjection, collections: [{ ...totals, [method]: failing }] } as unknown as Projection;
    start(parts, 1, broken);
    await settle();
    expect((await parts.readStore.versions('totals')).active!.stop).toMatchObject({
      event: { streamId: 'counter-1', revision: 0 },
      reason: expect.stringContaining('no idea') as string,
    });
  });

  it('keeps the version where it is, also over a restart, until somebody takes the stop away', async () => {
    const parts = setUp();
    await parts.eventStore.append('counter-1', 'no-stream', [failing]);
    const first = start(parts);
    await settle();
    first.stop.abort();
    await first.ended;
    const { observer } = start(parts);
    await parts.clock.advance(3_000);
    expect(observer.told).toEqual(['stopped 1 at p']);
    await noteStop(parts.readStore, 'totals', 1, null);
    await parts.clock.advance(1_000);
    // Tried again, it is as bad as before.
    expect(observer.told).toEqual(['stopped 1 at p', 'resumed 1', 'stopped 1 at p']);
    expect((await parts.readStore.versions('totals')).active!.stop).not.toBeNull();
  });

  it('is passed over once it is to be skipped, and counts as handled', async () => {
    const skipped = new Set<string>();
    const parts = { ...setUp(), skipped: async () => skipped };
    const { observer } = start(parts);
    await parts.count('counter-1', 1);
    await parts.eventStore.append('counter-1', 0, [failing]);
    await parts.count('counter-2', 7);
    await settle();
    skipped.add('p');
    await noteStop(parts.readStore, 'totals', 1, null);
    await parts.clock.advance(1_000);
    expect(observer.told).toEqual(['stopped 1 at p', 'resumed 1']);
    expect(await parts.documents('counter-1', 'counter-2')).toEqual([
      { total: 1, events: 1 },
      { total: 7, events: 1 },
    ]);
    expect((await parts.readStore.versions('totals')).active).toMatchObject({ stop: null, checkpoint: { events: 3 } });
  });

  it('is passed over without a stop where it was skipped after the version had asked what is', async () => {
    let asked = 0;
    const skipped = async () => new Set((asked += 1) === 1 ? [] : ['p']);
    const parts = { ...setUp(), skipped };
    await parts.eventStore.append('counter-1', 'no-stream', [failing]);
    await parts.count('counter-2', 7);
    const { observer } = start(parts);
    await settle(8);
    expect(observer.told).toEqual([]);
    expect(await parts.documents('counter-2')).toEqual([{ total: 7, events: 1 }]);
    expect((await parts.readStore.versions('totals')).active).toMatchObject({ stop: null, checkpoint: { events: 2 } });
  });
});
