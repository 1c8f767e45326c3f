import { type Journey, RebuildPace } from './rebuild-pace';

const journey = (position: bigint, change: Partial<Journey> = {}): Journey => ({
  projection: 'payments',
  version: 2,
  startedAtMs: 0,
  position,
  target: 1_000n,
  ...change,
});

const at = (ms: number) => ({ nowMs: () => ms, monotonicMs: () => ms });

describe('the remaining time of a build', () => {
  it('is estimated from the time since its start at the first request', () => {
    expect(new RebuildPace().msLeft(journey(250n), at(1_000))).toBe(3_000);
  });

  it('is estimated from the last seconds if they are known, as after a restart', () => {
    const pace = new RebuildPace();
    pace.msLeft(journey(250n), at(3_600_000));
    expect(pace.msLeft(journey(500n), at(3_601_000))).toBe(2_000);
  });

  it('ignores how fast the build was long ago', () => {
    const pace = new RebuildPace();
    for (let second = 0; second <= 30; second += 1) pace.msLeft(journey(BigInt(second)), at(second * 1_000));
    pace.msLeft(journey(30n), at(60_000));
    expect(pace.msLeft(journey(40n), at(70_000))).toBe(((1_000 - 40) / 10) * 40_000);
    expect(pace.msLeft(journey(60n), at(80_000))).toBe(((1_000 - 60) / 30) * 20_000);
  });

  it('is unknown if there is no progress, or none yet', () => {
    expect(new RebuildPace().msLeft(journey(0n), at(1_000))).toBeNull();
    expect(new RebuildPace().msLeft(journey(100n, { startedAtMs: 5_000 }), at(5_000))).toBeNull();
    const pace = new RebuildPace();
    pace.msLeft(journey(100n), at(10_000));
    expect(pace.msLeft(journey(100n), at(11_500))).toBeNull();
  });

  it.each([1_000n, 1_001n])('is zero at the target or beyond it (%d)', (position) => {
    expect(new RebuildPace().msLeft(journey(position), at(1_000))).toBe(0);
  });

  it('is estimated afresh for another version and for one that was forgotten', () => {
    const pace = new RebuildPace();
    pace.msLeft(journey(250n), at(1_000));
    expect(pace.msLeft(journey(100n, { version: 3, startedAtMs: 9_000 }), at(10_000))).toBe(9_000);
    pace.keepOnly('payments', [null, { version: 3 }]);
    expect(pace.msLeft(journey(500n), at(20_000))).toBe(20_000);
  });
});
