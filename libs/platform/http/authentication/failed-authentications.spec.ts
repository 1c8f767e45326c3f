import { Metrics } from '@app/platform/telemetry';
import { ManualClock, SeededRandom } from '@app/platform/testing';
import { FailedAuthentications } from './failed-authentications';

const BURST = 300;

describe('FailedAuthentications', () => {
  let clock: ManualClock;
  let failures: FailedAuthentications;

  beforeEach(() => {
    clock = new ManualClock();
    const metrics = new Metrics();
    failures = new FailedAuthentications({ clock, random: new SeededRandom(), metrics: () => metrics });
  });

  const fail = (source: string) => failures.note(source, 'merchant', 'unknown');
  /** How many of `times` failures are answered as such. */
  const answered = (times: number, source = '203.0.113.9') =>
    Array.from({ length: times }, () => fail(source)).filter((wait) => wait === null).length;

  it('answers a burst of failures, then one a second, and never more', async () => {
    expect(answered(BURST + 50)).toBe(BURST);
    expect(fail('203.0.113.9')).toBe(1);
    await clock.advance(999);
    expect(answered(5)).toBe(0);
    await clock.advance(1);
    expect(answered(5)).toBe(1);
    await clock.advance(10_000);
    expect(answered(50)).toBe(10);
    await clock.advance(3_600_000);
    expect(answered(BURST + 50)).toBe(BURST);
  });

  it('keeps nobody waiting longer for going on', async () => {
    answered(10 * BURST);
    await clock.advance(1_000);
    expect(fail('203.0.113.9')).toBeNull();
  });

  it('counts each source for itself, and a /64 as one', () => {
    expect(answered(BURST, '203.0.113.9')).toBe(BURST);
    expect(answered(1, '203.0.113.10')).toBe(1);
    const spread = Array.from({ length: BURST + 20 }, (_, index) => fail(`2001:db8::${(index + 1).toString(16)}`));
    expect(spread.filter((wait) => wait === null)).toHaveLength(BURST);
    expect(answered(1, '2001:db8:0:1::1')).toBe(1);
  });

  it('forgets no source for others that come, however many', () => {
    answered(BURST);
    for (let index = 0; index < 50_000; index += 1) fail(`2001:db8:${(index % 65_536).toString(16)}::1`);
    expect(answered(1)).toBe(0);
  });

  it('is not moved by the wall clock', () => {
    let nowMs = clock.nowMs();
    const leaping = Object.assign(new ManualClock(), { nowMs: () => nowMs, monotonicMs: () => 0 });
    const metrics = new Metrics();
    const others = new FailedAuthentications({ clock: leaping, random: new SeededRandom(), metrics: () => metrics });
    for (let index = 0; index < BURST; index += 1) others.note('203.0.113.9', 'operator', 'missing');
    nowMs += 3_600_000;
    expect(others.note('203.0.113.9', 'operator', 'missing')).toBe(1);
  });

  it('tells tokens apart in one process alone, and holds nothing of them', () => {
    const tag = failures.tagOf('cft_a');
    expect(tag).toMatch(/^[0-9a-f]{8}$/);
    expect([failures.tagOf('cft_a'), failures.tagOf('cft_b') === tag]).toEqual([tag, false]);
    const metrics = new Metrics();
    const other = new FailedAuthentications({ clock, random: new SeededRandom(2), metrics: () => metrics });
    expect(other.tagOf('cft_a')).not.toBe(tag);
  });
});
