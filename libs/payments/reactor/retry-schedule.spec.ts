import * as fc from 'fast-check';
import { nextTryAtMs } from './retry-schedule';

const reasons = ['OUTCOME_UNKNOWN', 'GATEWAY_UNAVAILABLE', 'GATEWAY_PENDING', 'CUSTOMER_PENDING'] as const;

describe('nextTryAtMs', () => {
  it('inquires within two seconds at first, whatever chance says', () => {
    expect(nextTryAtMs('OUTCOME_UNKNOWN', 1, 0, 0.999)).toBeLessThan(2_000);
  });

  it.each(reasons)('waits longer and longer for %s, and never ends', (reason) => {
    const delays = Array.from({ length: 30 }, (_, index) => nextTryAtMs(reason, index + 1, 0, 0.5));
    expect(delays).toEqual([...delays].sort((a, b) => a - b));
    expect(delays[0]).toBeGreaterThan(0);
    expect(delays.at(-1)).toBeLessThanOrEqual(10 * 60_000);
  });

  it('spreads by a fifth to either side, in whole milliseconds', () => {
    const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.constantFrom(...reasons), fc.integer({ min: 1, max: 50 }), fraction, (reason, attempt, chance) => {
        const middle = nextTryAtMs(reason, attempt, 0, 0.5);
        const spread = nextTryAtMs(reason, attempt, 0, chance);
        expect(Number.isInteger(spread)).toBe(true);
        expect(Math.abs(spread - middle)).toBeLessThanOrEqual(middle * 0.2 + 1);
      }),
    );
  });
});
