import { ManualClock } from '@app/platform/testing/manual-clock';
import { CLOCK_STEP_MS, CLOCK_TRUSTED_AFTER_MS } from './clock-course';

const HOUR = 3_600_000;

describe('settled time', () => {
  let clock: ManualClock;
  beforeEach(() => {
    clock = new ManualClock();
    clock.settledMs();
  });
  const behindMs = () => clock.nowMs() - clock.settledMs();

  it('is wall time as long as the clock does not step, however rarely it is read', async () => {
    await clock.advance(90 * 24 * HOUR);
    clock.step(CLOCK_STEP_MS - 1);
    expect(behindMs()).toBe(0);
    expect(clock.lastStep).toBeNull();
  });

  it('keeps the old course after a jump ahead, until the clock has kept the new one for a while', async () => {
    clock.step(HOUR);
    expect(behindMs()).toBe(HOUR);
    expect(clock.lastStep).toEqual({ byMs: HOUR, count: 1 });
    await clock.advance(CLOCK_TRUSTED_AFTER_MS - 1);
    expect(behindMs()).toBe(HOUR);
    await clock.advance(1);
    expect(behindMs()).toBe(0);
  });

  it('ignores a jump ahead that was corrected', async () => {
    clock.step(HOUR);
    clock.settledMs();
    await clock.advance(2_500);
    clock.step(-HOUR);
    expect(behindMs()).toBe(0);
    expect(clock.lastStep).toEqual({ byMs: -HOUR, count: 2 });
  });

  it('follows a step back at once, and the return from it', async () => {
    clock.step(-15_000);
    expect(behindMs()).toBe(0);
    await clock.advance(1_000);
    clock.step(15_000);
    expect(behindMs()).toBe(0);
    clock.step(15_000);
    expect(behindMs()).toBe(15_000);
  });

  it('starts to wait again with every step', async () => {
    for (const steps of [1, 2, 3]) {
      clock.step(HOUR);
      expect(behindMs()).toBe(steps * HOUR);
      await clock.advance(CLOCK_TRUSTED_AFTER_MS - 1);
    }
    await clock.advance(1);
    expect(behindMs()).toBe(0);
  });
});
