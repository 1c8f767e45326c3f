import type { ProjectionVersion } from '@app/event-sourcing';
import { ProjectionProgress } from './progress';

function version(position: bigint | null, completeFrom: bigint | null = null, number = 1): ProjectionVersion {
  const checkpoint = position === null ? null : { position, lastEvent: null, events: 0 };
  return { projection: 'p', version: number, declaredVersion: 1, checkpoint, completeFrom, startedAtMs: 1, stop: null };
}

const EVENT = { id: 'e', type: 'Exploded', streamId: 's-1', revision: 0 };

const never = () => new AbortController().signal;

describe('ProjectionProgress', () => {
  it('knows nothing at first and reports that as a problem', () => {
    const progress = new ProjectionProgress();
    expect(progress.isComplete('p')).toBe(false);
    expect(progress.problem('p')).toBe('it is being built');
  });

  it.each<[string, ProjectionVersion, boolean]>([
    ['on an empty log', version(null, null), true],
    ['before its first event', version(null, 5n), false],
    ['in between', version(4n, 5n), false],
    ['at the head at its start', version(5n, 5n), true],
    ['beyond', version(9n, 5n), true],
  ])('determines whether a version is complete: %s', (_where, known, complete) => {
    const progress = new ProjectionProgress();
    progress.advanced(known);
    expect(progress.isComplete('p')).toBe(complete);
    expect(progress.isComplete('another')).toBe(false);
    expect(progress.problem('p')).toBe(complete ? null : 'it is being built');
  });

  it('resolves waiters when the position is reached, not before', async () => {
    const progress = new ProjectionProgress();
    let reached = false;
    const waiting = progress.reached('p', 7n, never()).then(() => (reached = true));
    progress.advanced(version(6n));
    await Promise.resolve();
    expect(reached).toBe(false);
    progress.advanced(version(7n));
    await waiting;
    await progress.reached('p', 7n, never());
  });

  it('releases a waiter when its limit is aborted', async () => {
    const progress = new ProjectionProgress();
    const limit = new AbortController();
    const waiting = progress.reached('p', 7n, limit.signal);
    limit.abort();
    await waiting;
    await progress.reached('p', 8n, limit.signal);
  });

  it.each<[string, (progress: ProjectionProgress) => void]>([
    ['its progress', (progress) => progress.advanced(version(1n, 9n))],
    ['that there is no version', (progress) => progress.lost('p')],
    ['that a store is unavailable', (progress) => progress.cutOff('p', 'read store')],
  ])('resolves waiters for a first report when it learns %s', async (_what, tell) => {
    const progress = new ProjectionProgress();
    let isHeard = false;
    const waiting = progress.settled('p', never()).then(() => (isHeard = true));
    progress.advanced({ ...version(1n), projection: 'q' });
    await Promise.resolve();
    expect(isHeard).toBe(false);
    tell(progress);
    await waiting;
    await progress.settled('p', never());
  });

  it('returns why a projection has stopped, until it resumes', () => {
    const progress = new ProjectionProgress();
    progress.advanced(version(1n));
    progress.advanced({ ...version(1n), stop: { position: 2n, event: EVENT, reason: 'r', atMs: 1 } });
    expect(progress.problem('p')).toBe('it cannot apply the event at position 2');
    progress.advanced(version(2n));
    expect(progress.problem('p')).toBeNull();
  });

  it('treats a version that has fallen back as unknown until it has caught up', () => {
    const progress = new ProjectionProgress();
    progress.advanced(version(9n));
    progress.lost('p');
    progress.advanced(version(5n));
    expect([progress.isComplete('p'), progress.problem('p')]).toEqual([false, 'it has not caught up with the log yet']);
    progress.advanced(version(8n));
    expect(progress.isComplete('p')).toBe(false);
    progress.advanced(version(9n));
    expect(progress.isComplete('p')).toBe(true);
    // A complete version from an older copy is no better, whatever its number.
    progress.advanced(version(3n, null, 2));
    expect(progress.isComplete('p')).toBe(false);
    progress.advanced(version(9n, 9n, 3));
    expect(progress.isComplete('p')).toBe(true);
  });

  it('trusts no version that lacks events that were in the log at the start', async () => {
    const progress = new ProjectionProgress();
    progress.mustHave('p', 7n);
    let isSettled = false;
    const waiting = progress.settled('p', never()).then(() => (isSettled = true));
    progress.advanced(version(6n));
    await Promise.resolve();
    expect([progress.isCurrent('p'), progress.isComplete('p'), isSettled]).toEqual([false, false, false]);
    expect(progress.problem('p')).toBe('it has not caught up with the log yet');
    expect(progress.hasFallenBack(version(6n))).toBe(true);
    progress.advanced(version(7n));
    await waiting;
    expect([progress.isCurrent('p'), progress.hasFallenBack(version(6n))]).toEqual([true, true]);
  });

  it('lowers the floor for a version if the log has no event that it lacks, and for that version only', () => {
    const progress = new ProjectionProgress();
    progress.mustHave('p', 7n);
    progress.advanced(version(6n));
    const { version: seen, floor } = progress.behind('p')!;
    expect(floor).toBe(7n);
    progress.advanced(version(5n));
    progress.lacksNothing(seen);
    expect(progress.isCurrent('p')).toBe(false);
    progress.lacksNothing(progress.behind('p')!.version);
    expect(progress.isCurrent('p')).toBe(true);
  });

  it('requires no more than the log contains after it was restored', () => {
    const progress = new ProjectionProgress();
    progress.advanced(version(7n));
    progress.advanced(version(3n));
    expect(progress.isCurrent('p')).toBe(false);
    progress.endsAt('p', 8n);
    expect(progress.isCurrent('p')).toBe(false);
    progress.endsAt('p', 3n);
    expect(progress.isCurrent('p')).toBe(true);
  });

  it('counts a projection as current only with the declared version of this release', () => {
    const progress = new ProjectionProgress((name) => (name === 'p' ? 2 : null));
    progress.advanced(version(9n));
    expect([progress.isComplete('p'), progress.isCurrent('p')]).toEqual([true, false]);
    progress.advanced({ ...version(9n, 10n), declaredVersion: 2 });
    expect([progress.isComplete('p'), progress.isCurrent('p')]).toEqual([false, false]);
    progress.advanced({ ...version(10n, 10n), declaredVersion: 2 });
    expect([progress.isComplete('p'), progress.isCurrent('p')]).toEqual([true, true]);
  });

  it('is not ready while a projection waits for a store', () => {
    const progress = new ProjectionProgress();
    const { check } = progress.readinessCheck('event store', 'read store');
    expect(check()).toBeNull();
    progress.cutOff('p', 'event store');
    progress.advanced({ ...version(1n), projection: 'q' });
    expect(check()).toBe('waiting for the event store: p');
    progress.cutOff('q', 'read store');
    expect(check()).toBe('waiting for the event store: p; waiting for the read store: q');
    progress.advanced({ ...version(1n), projection: 'q' });
    progress.advanced(version(1n));
    expect(check()).toBeNull();
  });

  it('calls its listeners on every advance', () => {
    const progress = new ProjectionProgress();
    let calls = 0;
    progress.onAdvanced(() => (calls += 1));
    progress.advanced(version(1n));
    progress.advanced(version(2n));
    expect(calls).toBe(2);
  });
});
