import { projectionStreamId } from '@app/projections/repair';
import { EventStoreUnavailableError, type ProjectionStop } from '@app/event-sourcing';
import { ownEvent } from '@app/event-sourcing/testing/recorded-events';
import { noteStop } from '@app/event-sourcing/testing/stops';
import { CONTEXT, done, refusal, setUp, stopAll } from '@app/projections/testing/administered';

const POISON = ownEvent('p', 'Exploded');
const REASON = 'nobody knows what it is';

afterEach(stopAll);

describe('the status of a projection', () => {
  it('is nothing before a projector has taken it up', async () => {
    const { status } = setUp();
    expect(await status()).toEqual([{ name: 'totals', active: null, building: null }]);
  });

  it('tells of a version that follows the log', async () => {
    const { status, count, clock, start } = setUp();
    await count('counter-1', 1, 2);
    start();
    await clock.advance(1);
    expect(await status()).toEqual([
      {
        name: 'totals',
        active: {
          version: expect.any(Number),
          startedAtMs: Date.UTC(2030, 0, 1),
          position: 200n,
          events: 2,
          percent: 100,
          msLeft: null,
          stop: null,
          isComplete: true,
          lag: { events: 0, ms: 0 },
        },
        building: null,
      },
    ]);
  });

  it('tells how far behind it is when nobody projects', async () => {
    const { status, count, clock, start } = setUp();
    await count('counter-1', 1);
    const stop = start();
    await clock.advance(1);
    stop.abort();
    await count('counter-1', 1, 1, 1);
    await clock.advance(5_000);
    expect((await status())[0]!.active).toMatchObject({ isComplete: true, lag: { events: 3, ms: 5_000 } });
  });

  it('tells how much of its way a first version has made, and what is left', async () => {
    const { status, count, clock, readStore } = setUp();
    await count('counter-1', 1, 1, 1, 1);
    const nowMs = clock.nowMs();
    const { version } = await readStore.open('totals', { declaredVersion: 1, head: 400n, nowMs });
    const next = { position: 100n, lastEvent: null, events: 1 };
    await readStore.commit({ projection: 'totals', version, declaredVersion: 1, expected: null, next, writes: [] });
    await clock.advance(2_000);
    const active = { isComplete: false, position: 100n, events: 1, percent: 25, msLeft: 6_000 };
    expect((await status())[0]!.active).toMatchObject(active);
  });

  it.each([
    [1, 'REQUESTED'],
    [2, 'VERSION_CHANGED'],
  ])('tells of a build by %s, and that it is %s', async (declaredVersion, cause) => {
    const { status, count, clock, readStore } = setUp();
    await count('counter-1', ...Array<number>(8).fill(1));
    const nowMs = clock.nowMs();
    await readStore.open('totals', { declaredVersion: 1, head: 800n, nowMs });
    const begun = await readStore.beginBuild('totals', { declaredVersion, head: 800n, nowMs });
    const { version } = begun as Exclude<typeof begun, string>;
    const building = async () => (await status())[0]!.building;
    expect(await building()).toMatchObject({ version, cause, position: null, events: 0, percent: 0, msLeft: null });
    const next = { position: 300n, lastEvent: null, events: 3 };
    await readStore.commit({ projection: 'totals', version, declaredVersion, expected: null, next, writes: [] });
    await clock.advance(3_000);
    expect(await building()).toMatchObject({ position: 300n, events: 3, percent: 37.5, msLeft: 5_000 });
    const stop = { position: 400n, event: { id: 'e', type: 'T', streamId: 's', revision: 0 }, reason: 'no', atMs: 1 };
    await noteStop(readStore, 'totals', version, stop);
    expect(await building()).toMatchObject({ percent: 37.5, msLeft: null, stop });
  });

  it('knows no share of an empty log', async () => {
    const { status, administration, clock, readStore } = setUp();
    await readStore.open('totals', { declaredVersion: 1, head: null, nowMs: clock.nowMs() });
    await administration.rebuild('totals');
    expect((await status())[0]!.building).toMatchObject({ percent: null, msLeft: null });
  });

  it('tells of each partition', async () => {
    const { administration, status } = setUp(['totals:0/2', 'totals:1/2']);
    expect((await administration.status()).map(({ name }) => name)).toEqual(['totals']);
    expect((await status()).map(({ name }) => name)).toEqual(['totals:0/2', 'totals:1/2']);
  });
});

describe.each([[['totals']], [['totals:0/2', 'totals:1/2']]])('where %j has stopped', (names) => {
  async function stoppedAtFailure() {
    const parts = setUp(names);
    await parts.count('counter-1', 1);
    await parts.eventStore.append('counter-1', 0, [POISON]);
    await parts.count('counter-2', 5);
    parts.start();
    await parts.clock.advance(1);
    const stops = async () => (await parts.status()).map(({ active }) => active!.stop?.position ?? null);
    expect(await stops()).toEqual(names.map(() => 200n));
    return { ...parts, stops };
  }
  const skip = { position: 200n, reason: REASON };

  it('a retry tries the event again', async () => {
    const { administration, readStore, clock, stops } = await stoppedAtFailure();
    expect(await administration.retry('totals')).toMatchObject(done);
    expect(await stops()).toEqual(names.map(() => null));
    await clock.advance(1_000);
    expect(await stops()).toEqual(names.map(() => 200n));
    expect((await readStore.versions(names[0]!)).active!.checkpoint!.position).toBe(100n);
  });

  it('a skip is an event in the log, and all goes on behind it', async () => {
    const { administration, eventStore, status, clock, stops } = await stoppedAtFailure();
    expect(await administration.skip('totals', skip, CONTEXT)).toMatchObject(done);
    const events = await eventStore.readStream(projectionStreamId('totals'));
    expect(events.map(({ type, data }) => [type, JSON.parse(data)])).toEqual([
      [
        'ProjectionEventSkipped',
        {
          projection: 'totals',
          position: '200',
          eventId: 'p',
          eventType: 'Exploded',
          streamId: 'counter-1',
          revision: 1,
          reason: REASON,
        },
      ],
    ]);
    await clock.advance(1_000);
    expect(await stops()).toEqual(names.map(() => null));
    expect((await status())[0]!.active).toMatchObject({ isComplete: true, lag: { events: 0 } });
    expect(await administration.retry('totals')).toEqual(refusal('PROJECTION_NOT_STOPPED'));
    expect(await administration.skip('totals', skip, CONTEXT)).toEqual(refusal('PROJECTION_NOT_STOPPED'));
  });

  it('a rebuild repeats the skip', async () => {
    const { administration, status, clock } = await stoppedAtFailure();
    await administration.skip('totals', skip, CONTEXT);
    await clock.advance(1_000);
    const before = (await status())[0]!.active!.version;
    await administration.rebuild('totals');
    await clock.advance(5_000);
    const [{ active, building }] = (await status()) as [Awaited<ReturnType<typeof status>>[number]];
    expect(building).toBeNull();
    expect(active).toMatchObject({ stop: null, isComplete: true });
    expect(active!.version).toBeGreaterThan(before);
  });

  it('no other event is skipped than the one looked at', async () => {
    const { administration, eventStore, stops } = await stoppedAtFailure();
    for (const position of [100n, 300n]) {
      const result = await administration.skip('totals', { position, reason: REASON }, CONTEXT);
      expect(result).toEqual(refusal('PROJECTION_STOPPED_ELSEWHERE'));
    }
    expect(await eventStore.readStream(projectionStreamId('totals'))).toEqual([]);
    expect(await stops()).toEqual(names.map(() => 200n));
  });

  it('nothing goes on before the log has the skip', async () => {
    const { administration, eventStore, stops } = await stoppedAtFailure();
    const away = jest.spyOn(eventStore, 'append').mockRejectedValueOnce(new EventStoreUnavailableError('away'));
    await expect(administration.skip('totals', skip, CONTEXT)).rejects.toThrow('away');
    away.mockRestore();
    expect(await stops()).toEqual(names.map(() => 200n));
    expect(await eventStore.readStream(projectionStreamId('totals'))).toEqual([]);
  });

  it('a skip that was cut off before anything went on is done by repeating it', async () => {
    const { administration, eventStore, readStore, clock, stops } = await stoppedAtFailure();
    const away = jest.spyOn(readStore, 'commit').mockRejectedValueOnce(new Error('away'));
    await expect(administration.skip('totals', skip, CONTEXT)).rejects.toThrow('away');
    away.mockRestore();
    expect(await stops()).toEqual(names.map(() => 200n));
    expect(await administration.skip('totals', skip, CONTEXT)).toMatchObject(done);
    expect(await eventStore.readStream(projectionStreamId('totals'))).toHaveLength(1);
    await clock.advance(1_000);
    expect(await stops()).toEqual(names.map(() => null));
  });
});

it('an event at which a build alone has stopped is skipped, too', async () => {
  const { administration, eventStore, readStore, clock, count } = setUp();
  await count('counter-1', ...Array<number>(9).fill(1));
  const nowMs = clock.nowMs();
  await readStore.open('totals', { declaredVersion: 1, head: 900n, nowMs });
  const begun = await readStore.beginBuild('totals', { declaredVersion: 2, head: 900n, nowMs });
  const { version } = begun as Exclude<typeof begun, string>;
  const [recorded] = await eventStore.readStream('counter-1', { from: 6, maxCount: 1 });
  const { id, type, streamId, revision } = recorded!;
  const event = { id, type, streamId, revision };
  const stop: ProjectionStop = { position: 700n, event, reason: 'no', atMs: nowMs };
  await noteStop(readStore, 'totals', version, stop);
  expect(await administration.skip('totals', { position: 700n, reason: REASON }, CONTEXT)).toMatchObject(done);
  expect((await readStore.versions('totals')).building!.stop).toBeNull();
});

it('what is no projection, or a part of one, is not found', async () => {
  const { administration } = setUp(['totals:0/2', 'totals:1/2']);
  const skip = { position: 1n, reason: REASON };
  for (const name of ['total', 'totals:0/2', '']) {
    const answers = [
      administration.rebuild(name),
      administration.cancel(name),
      administration.retry(name),
      administration.skip(name, skip, CONTEXT),
    ];
    expect(await Promise.all(answers)).toEqual(Array(4).fill(refusal('PROJECTION_NOT_FOUND')));
  }
});
