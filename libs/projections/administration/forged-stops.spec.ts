import { projectionStreamId } from '@app/projections/repair';
import type { ProjectionStop, RecordedEvent } from '@app/event-sourcing';
import { ownEvent } from '@app/event-sourcing/testing/recorded-events';
import { noteStop } from '@app/event-sourcing/testing/stops';
import { CONTEXT, done, refusal, setUp, stopAll } from '@app/projections/testing/administered';

const REASON = 'nobody knows what it is';
const POSITION = 200n;

afterEach(stopAll);

/** Stopped at the second event of `counter-1`; the read store's stop is replaced by the result of `forged`. */
async function stoppedAt(forged: (stop: ProjectionStop, honest: RecordedEvent) => ProjectionStop) {
  const parts = setUp();
  await parts.count('counter-1', 1);
  await parts.eventStore.append('counter-1', 0, [ownEvent('p', 'Exploded')]);
  await parts.count('counter-2', 5);
  parts.start();
  await parts.clock.advance(1);
  const [honest] = await parts.eventStore.readStream('counter-2');
  const { version, stop } = (await parts.readStore.versions('totals')).active!;
  expect(stop).toMatchObject({ position: POSITION, event: { id: 'p', streamId: 'counter-1', revision: 1 } });
  await noteStop(parts.readStore, 'totals', version, forged(stop!, honest!));
  const skips = async () => {
    const recorded = await parts.eventStore.readStream(projectionStreamId('totals'));
    return recorded.map(({ data }) => JSON.parse(data) as object);
  };
  return { ...parts, skips };
}

describe('when the read store holds a forged stop with', () => {
  it.each<[string, (honest: RecordedEvent) => Partial<ProjectionStop['event']>]>([
    ['another id', () => ({ id: 'q' })],
    ['another revision', () => ({ revision: 0 })],
    ['a revision that does not exist', () => ({ revision: 99 })],
    ['another stream', () => ({ streamId: 'counter-2', revision: 0 })],
    ['a stream that does not exist', () => ({ streamId: 'counter-9' })],
    ['an event at another position', ({ id, streamId, revision }) => ({ id, streamId, revision })],
  ])('%s, nothing is skipped or recorded', async (_what, forged) => {
    const { administration, skips } = await stoppedAt((stop, honest) => ({
      ...stop,
      event: { ...stop.event, ...forged(honest) },
    }));
    const refused = await administration.skip('totals', { position: POSITION, reason: REASON }, CONTEXT);
    expect(refused).toEqual(refusal('PROJECTION_STOPPED_ELSEWHERE'));
    expect(await skips()).toEqual([]);
  });

  it('another type, the type in the log is recorded, and only that event is skipped', async () => {
    const { administration, clock, readStore, skips } = await stoppedAt((stop) => ({
      ...stop,
      reason: 'harmless',
      event: { ...stop.event, type: 'Counted' },
    }));
    expect(await administration.skip('totals', { position: POSITION, reason: REASON }, CONTEXT)).toMatchObject(done);
    expect(await skips()).toEqual([
      {
        projection: 'totals',
        position: '200',
        eventId: 'p',
        eventType: 'Exploded',
        streamId: 'counter-1',
        revision: 1,
        reason: REASON,
      },
    ]);
    await clock.advance(1_000);
    const { stop, checkpoint } = (await readStore.versions('totals')).active!;
    expect([stop, checkpoint!.position >= 300n]).toEqual([null, true]);
  });

  it('a sound event, a starting projector applies the event and resumes', async () => {
    const parts = setUp();
    await parts.count('counter-1', 1);
    const { version } = await parts.readStore.open('totals', { declaredVersion: 1, head: null, nowMs: 1 });
    const [sound] = await parts.eventStore.readStream('counter-1');
    const { id, type, streamId, revision, position } = sound!;
    const stop = { position, event: { id, type, streamId, revision }, reason: 'forged', atMs: 1 };
    await noteStop(parts.readStore, 'totals', version, stop);
    parts.start();
    await parts.clock.advance(1_000);
    expect((await parts.readStore.versions('totals')).active).toMatchObject({ stop: null, checkpoint: { position } });
  });
});
