import { ManualClock } from '@app/platform/testing';
import fc from 'fast-check';
import { rateLimitField, rateLimitPolicy } from './rate-limit-headers';
import { type RateLimit, RateLimiter } from './rate-limiter';

/** Makes `times` requests at once; returns how many were admitted. */
function ask(limiter: RateLimiter, times: number, merchantId = 'mer_1'): number {
  return Array.from({ length: times }, () => limiter.tryTake(merchantId)).filter(Boolean).length;
}

describe('RateLimiter', () => {
  it('lets a burst through at once, and then as much as fills the bucket again', async () => {
    const clock = new ManualClock();
    const limiter = new RateLimiter({ perSecond: 10, burst: 5 }, clock);
    expect(ask(limiter, 8)).toBe(5);
    await clock.advance(99);
    expect(ask(limiter, 8)).toBe(0);
    await clock.advance(1);
    expect(ask(limiter, 8)).toBe(1);
    await clock.advance(3_600_000);
    expect(ask(limiter, 8)).toBe(5);
  });

  it('counts each merchant for itself', () => {
    const limiter = new RateLimiter({ perSecond: 1, burst: 2 }, new ManualClock());
    expect([ask(limiter, 3, 'mer_1'), ask(limiter, 3, 'mer_2')]).toEqual([2, 2]);
  });

  it('tells how many are left and when there is one more, and takes nothing for that', async () => {
    const clock = new ManualClock();
    const limiter = new RateLimiter({ perSecond: 1, burst: 3 }, clock);
    expect(limiter.standing('mer_1')).toEqual({ remaining: 3, nextInSeconds: null });
    ask(limiter, 3);
    expect(limiter.standing('mer_1')).toEqual({ remaining: 0, nextInSeconds: 1 });
    await clock.advance(1_500);
    expect(limiter.standing('mer_1')).toEqual({ remaining: 1, nextInSeconds: 1 });
    expect(limiter.standing('mer_1').remaining).toBe(1);
  });

  it.each([-3_600_000, 3_600_000])(
    'fills by the time that has passed when the clock is set by %d ms',
    async (stepMs) => {
      const clock = new ManualClock();
      const limiter = new RateLimiter({ perSecond: 10, burst: 1 }, clock);
      expect(ask(limiter, 2)).toBe(1);
      clock.step(stepMs);
      expect(ask(limiter, 2)).toBe(0);
      await clock.advance(100);
      expect(ask(limiter, 2)).toBe(1);
    },
  );

  it('never lets more than burst + rate × time through in any window, and refuses only what would be more', async () => {
    const limits = fc.record({ perSecond: fc.integer({ min: 1, max: 50 }), burst: fc.integer({ min: 1, max: 20 }) });
    const asks = fc.array(fc.record({ afterMs: fc.nat(2_000), times: fc.integer({ min: 1, max: 12 }) }), {
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(limits, asks, async (limit, steps) => {
        const admitted = await admissions(limit, steps);
        for (const [first, from] of admitted.entries()) {
          for (const [last, until] of admitted.entries()) {
            if (last < first) continue;
            const allowed = limit.burst + ((until - from) * limit.perSecond) / 1_000;
            expect(last - first + 1).toBeLessThanOrEqual(allowed);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('refuses nobody who waits as long as it was told', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 30 }), async (perSecond, burst) => {
        const clock = new ManualClock();
        const limiter = new RateLimiter({ perSecond, burst }, clock);
        ask(limiter, burst);
        await clock.advance((limiter.standing('mer_1').nextInSeconds ?? 0) * 1_000);
        expect(limiter.tryTake('mer_1')).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('forgets merchants whose bucket is full again', async () => {
    const clock = new ManualClock();
    const limiter = new RateLimiter({ perSecond: 100, burst: 100 }, clock);
    for (let index = 0; index < 500; index += 1) {
      limiter.tryTake(`mer_${index}`);
      await clock.advance(10);
    }
    expect(limiter.size).toBeLessThanOrEqual(3);
  });

  it('remembers a bounded number of merchants, those that asked last', () => {
    const limiter = new RateLimiter({ perSecond: 1, burst: 1 }, new ManualClock(), 10);
    for (let index = 0; index < 1_000; index += 1) limiter.tryTake(`mer_${index}`);
    expect(limiter.size).toBe(10);
    expect(limiter.tryTake('mer_999')).toBe(false);
  });
});

describe('the fields that tell of the limit', () => {
  it.each([
    [{ perSecond: 200, burst: 400 }, '"default";q=400;w=2'],
    [{ perSecond: 200, burst: 50 }, '"default";q=50;w=1'],
    [{ perSecond: 3, burst: 10 }, '"default";q=10;w=4'],
  ])('name as the policy what may be asked for in the time that fills the bucket: %j', (limit, policy) => {
    expect(rateLimitPolicy(limit)).toBe(policy);
  });

  it('leave the time out while the bucket is full', () => {
    expect(rateLimitField({ remaining: 4, nextInSeconds: 1 })).toBe('"default";r=4;t=1');
    expect(rateLimitField({ remaining: 5, nextInSeconds: null })).toBe('"default";r=5');
  });
});

/** The times, in ms, at which requests were admitted. */
async function admissions(
  limit: RateLimit,
  steps: readonly { readonly afterMs: number; readonly times: number }[],
): Promise<readonly number[]> {
  const clock = new ManualClock();
  const limiter = new RateLimiter(limit, clock);
  const admitted: number[] = [];
  for (const { afterMs, times } of steps) {
    await clock.advance(afterMs);
    for (let index = ask(limiter, times); index > 0; index -= 1) admitted.push(clock.nowMs());
  }
  return admitted;
}
