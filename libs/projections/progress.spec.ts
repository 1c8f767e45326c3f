import type { ProjectionVersion } from '@app/event-sourcing';
import { ProjectionProgress } from './progress';

function version(position: bigint | null, completeFrom: bigint | null = null, number = 1): ProjectionVersion {
  const checkpoint = position === null ? null : { position, lastEvent: null, events: 0 };
  return { projection: 'p', version: number, declaredVersion: 1, checkpoint, completeFrom, startedAtMs: 1, stop: null };
}

const EVENT = { id: 'e', type: 'Exploded', streamId: 's-1', revision: 0 };

const never = () => new AbortController().signal;

describe('ProjectionProgress', () => {
  it('knows nothing at first, and says so', () => {
    const progress = new ProjectionProgress();
    expect(progress.isComplete('p')).toBe(false);
    expect(progress.problem('p')).toBe('it is being built');
  });

  it.each<[string, ProjectionVersion, boolean]>([
    ['on an empty log', version(null, null), true],
    ['before its first event', version(null, 5n), false],
    ['on the way', version(4n, 5n), false],
    ['at the head of then', version(5n, 5n), true],
    ['beyond', version(9n, 5n), true],
  ])('tells whether a version is complete %s', (_where, known, complete) => {
    const progress = new ProjectionProgress();
    progress.advanced(known);
    expect(progress.isComplete('p')).toBe(complete);
    expect(progress.isComplete('another')).toBe(false);
    expect(progress.problem('p')).toBe(complete ? null : 'it is being built');
  });

  it('resolves waiters once the position is reached, and not before', async () => {
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

  it('lets a waiter go when its limit is over', async () => {
    const progress = new ProjectionProgress();
    const limit = new AbortController();
    const waiting = progress.reached('p', 7n, limit.signal);
    limit.abort();
    await waiting;
    await progress.reached('p', 8n, limit.signal);
  });

  it.each<[string, (progress: ProjectionProgress) => void]>([
    ['how far it has come', (progress) => progress.advanced(version(1n, 9n))],
    ['that there is none', (progress) => progress.lost('p')],
    ['that a store is away', (progress) => progress.cutOff('p', 'read store')],
  ])('resolves those who wait for a first word when it hears %s', async (_what, tell) => {
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

  it('tells why a projection stopped, until it goes on', () => {
    const progress = new ProjectionProgress();
    progress.advanced(version(1n));
    progress.advanced({ ...version(1n), stop: { position: 2n, event: EVENT, reason: 'r', atMs: 1 } });
    expect(progress.problem('p')).toBe("it can't digest the event at position 2");
    progress.advanced(version(2n));
    expect(progress.problem('p')).toBeNull();
  });

  it('does not know a version that has fallen back until it is again where it was', () => {
    const progress = new ProjectionProgress();
    progress.advanced(version(9n));
    progress.lost('p');
    progress.advanced(version(5n));
    expect([progress.isComplete('p'), progress.problem('p')]).toEqual([false, 'it has not caught up with the log yet']);
    progress.advanced(version(8n));
    expect(progress.isComplete('p')).toBe(false);
    progress.advanced(version(9n));
    expect(progress.isComplete('p')).toBe(true);
    // A whole version of an older copy is no better, whatever its number.
    progress.advanced(version(3n, null, 2));
    expect(progress.isComplete('p')).toBe(false);
    progress.advanced(version(9n, 9n, 3));
    expect(progress.isComplete('p')).toBe(true);
  });

  it('believes nothing of what lacks some of what was in the log at the start, until it has it', async () => {
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

  it('forgives what is missing where the log holds nothing of it, for that version alone', () => {
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

  it('asks for no more than there is, once the log has gone back', () => {
    const progress = new ProjectionProgress();
    progress.advanced(version(7n));
    progress.advanced(version(3n));
    expect(progress.isCurrent('p')).toBe(false);
    progress.endsAt('p', 8n);
    expect(progress.isCurrent('p')).toBe(false);
    progress.endsAt('p', 3n);
    expect(progress.isCurrent('p')).toBe(true);
  });

  it('counts as current only what is of the version that this release declares', () => {
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

  it('calls its listeners at every step', () => {
    const progress = new ProjectionProgress();
    let calls = 0;
    progress.onAdvanced(() => (calls += 1));
    progress.advanced(version(1n));
    progress.advanced(version(2n));
    expect(calls).toBe(2);
  });
});
