import type { ProjectionVersion } from '@app/event-sourcing';
import { ManualClock } from '@app/platform/testing';
import { ProjectionProgress } from './progress';
import { projectionReadiness, TROUBLE_LIMIT_MS } from './projection-readiness';

const version = (position: bigint, completeFrom: bigint | null = null): ProjectionVersion => ({
  projection: 'p',
  version: 1,
  declaredVersion: 1,
  checkpoint: { position, lastEvent: null, events: 0 },
  completeFrom,
  startedAtMs: 1,
  stop: null,
});

function setUp() {
  const clock = new ManualClock();
  const progress = new ProjectionProgress();
  const { check } = projectionReadiness(progress, clock, ['p']);
  return { clock, progress, check };
}

describe('projectionReadiness', () => {
  it('fails from the start until each projection has served', () => {
    const { progress, check } = setUp();
    expect(check()).toBe('p: it is being built');
    progress.mustHave('p', 5n);
    progress.advanced(version(4n, 5n));
    expect(check()).toBe('p: it is being built');
    progress.advanced(version(4n));
    expect(check()).toBe('p: it has not caught up with the log yet');
    progress.advanced(version(5n, 5n));
    expect(check()).toBeNull();
  });

  it('does not report a store that is unavailable', () => {
    const { progress, check } = setUp();
    progress.cutOff('p', 'read store');
    expect(check()).toBeNull();
    progress.lost('p');
    progress.advanced(version(4n, 5n));
    expect(check()).toBe('p: it is being built');
  });

  it('counts from the moment a projection is lost', async () => {
    const { clock, progress, check } = setUp();
    progress.advanced(version(5n));
    await clock.advance(2 * TROUBLE_LIMIT_MS);
    progress.lost('p');
    progress.advanced(version(0n, 5n));
    await clock.advance(TROUBLE_LIMIT_MS);
    expect(check()).toBeNull();
    await clock.advance(1);
    expect(check()).toBe('p: it is being built');
  });

  it('names the event that stopped a projection, until it resumes', async () => {
    const { clock, progress, check } = setUp();
    progress.advanced(version(5n));
    const event = { id: 'e', type: 'Exploded', streamId: 's-1', revision: 0 };
    progress.advanced({ ...version(5n), stop: { position: 6n, event, reason: 'r', atMs: 1 } });
    await clock.advance(TROUBLE_LIMIT_MS + 1);
    expect(check()).toBe('p: it cannot apply the event at position 6');
    progress.advanced(version(6n));
    expect(check()).toBeNull();
  });
});
