import { settings } from '../../testing/given-group';
import { CheckpointPolicy } from './checkpoint-policy';
import { Progress } from './progress';
import { Timings } from './timings';

describe('progress', () => {
  it('goes as far as everything is done, whatever the order', () => {
    const progress = new Progress(9n);
    for (const place of [10n, 11n, 13n]) progress.entered(place);
    progress.completed(11n);
    expect(progress).toMatchObject({ place: 9n, count: 0 });
    progress.completed(10n);
    expect(progress).toMatchObject({ place: 11n, count: 2 });
    progress.passedOver(20n, 6);
    expect(progress).toMatchObject({ place: 11n, count: 2 });
    progress.completed(13n);
    progress.completed(13n);
    expect(progress).toMatchObject({ place: 20n, count: 9 });
  });

  it('moves on over what is of no interest', () => {
    const progress = new Progress(null);
    progress.passedOver(5n, 5);
    expect(progress).toMatchObject({ place: 5n, count: 5, hasCompleted: false });
  });

  it('forgets what is done', () => {
    const progress = new Progress(null);
    for (let place = 0n; place < 10_000n; place += 1n) {
      progress.entered(place);
      progress.completed(place);
    }
    expect(progress).toMatchObject({ place: 9_999n, count: 10_000 });
    expect((progress as unknown as { steps: unknown[] }).steps.length).toBeLessThan(3_000);
  });
});

describe('a checkpoint', () => {
  const done = (count: number) => {
    const progress = new Progress(null);
    progress.passedOver(BigInt(count), count);
    return progress;
  };

  it('is due at once after many events, on a tick after a while for fewer, never for less', () => {
    const policy = new CheckpointPolicy(settings);
    expect(policy.due(new Progress(null), 0, true)).toBeNull();
    expect(policy.due(done(9), 0, true)).toBeNull();
    expect(policy.due(done(10), 0, false)).toBeNull();
    expect(policy.due(done(10), 0, true)).toBe(10n);
    expect(policy.due(done(25), 1_999, true)).toBeNull();
    expect(policy.due(done(25), 2_000, true)).toBe(25n);
    expect(policy.due(done(1_024), 2_001, false)).toBeNull();
    expect(policy.due(done(1_025), 2_001, false)).toBe(1_025n);
    expect(policy.due(done(1_025), 9_999, true)).toBeNull();
  });

  it('waits for many events where the time is long', () => {
    const policy = new CheckpointPolicy({ ...settings, checkpointAfterMs: 2 ** 31 - 1 });
    policy.due(done(1_000), 0, true);
    expect(policy.due(done(1_999), 1e9, true)).toBeNull();
    expect(policy.due(done(2_000), 1e9, true)).toBe(2_000n);
  });
});

describe('timings', () => {
  it('are told under the names that EventStoreDB gives them, of the latest thousand', () => {
    const timings = new Timings();
    expect(timings.measurements()).toEqual([]);
    for (let ms = 5_000; ms > 0; ms -= 1) timings.record(ms);
    expect(Object.fromEntries(timings.measurements())).toMatchObject({
      Mean: 500,
      Median: 501,
      Fastest: 1,
      'Quintile 1': 1,
      'Quintile 5': 801,
      '99.9%': 1_000,
      Highest: 1_000,
    });
  });
});
