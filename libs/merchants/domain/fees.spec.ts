import type { Currency } from '@app/money';
import * as fc from 'fast-check';
import { BASIS_POINTS_PER_WHOLE, feeOf, type FeeSchedule, NO_FEES } from './';

const EUR = 'EUR' as Currency;
const RUNS = { numRuns: 1_000 };
const share = (basisPoints: number): FeeSchedule => ({ basisPoints, fixedMinor: [] });

const amounts = fc.bigInt({ min: 0n, max: 10n ** 16n - 1n });
const basisPoints = fc.integer({ min: 0, max: BASIS_POINTS_PER_WHOLE });
const schedules: fc.Arbitrary<FeeSchedule> = fc
  .record({ basisPoints, fixed: fc.bigInt({ min: 0n, max: 10n ** 16n - 1n }) })
  .map((schedule) => ({ basisPoints: schedule.basisPoints, fixedMinor: [['EUR', String(schedule.fixed)]] }));

describe('the share of an amount', () => {
  it.each([
    // Ties round to the even neighbour: 0.5, 1.5, 2.5, 3.5 …
    [1n, 5_000, 0n],
    [3n, 5_000, 2n],
    [5n, 5_000, 2n],
    [7n, 5_000, 4n],
    [9n, 5_000, 4n],
    [50n, 100, 0n],
    [150n, 100, 2n],
    [250n, 100, 2n],
    [1_000n, 25, 2n],
    [1_000n, 35, 4n],
    // Anything other than a tie rounds to the nearest.
    [49n, 100, 0n],
    [51n, 100, 1n],
    [149n, 100, 1n],
    [151n, 100, 2n],
    [249n, 100, 2n],
    [251n, 100, 3n],
    [4_999n, 1, 0n],
    [5_000n, 1, 0n],
    [5_001n, 1, 1n],
    [15_000n, 1, 2n],
    // Divisions with a remainder.
    [100n, 3_333, 33n],
    [10n, 3_333, 3n],
    [1_000n, 290, 29n],
    [999n, 290, 29n],
    [1_001n, 290, 29n],
    [12_990n, 290, 377n],
    // The ends of the range.
    [0n, 10_000, 0n],
    [1n, 10_000, 1n],
    [1n, 9_999, 1n],
    [1n, 0, 0n],
    // Beyond what a floating point number can hold.
    [9_999_999_999_999_999n, 10_000, 9_999_999_999_999_999n],
    [9_999_999_999_999_999n, 5_000, 5_000_000_000_000_000n],
    [9_999_999_999_999_997n, 5_000, 4_999_999_999_999_998n],
    [123_456_789_012_345_678_901_234_567_890n, 1, 12_345_678_901_234_567_890_123_457n],
  ])('of %s at %s basis points is %s', (amountMinor, points, fee) => {
    expect(feeOf(amountMinor, EUR, share(points))).toBe(fee);
  });

  it('is at most half a minor unit away, and even where it is just that', () => {
    fc.assert(
      fc.property(amounts, basisPoints, (amountMinor, points) => {
        const fee = feeOf(amountMinor, EUR, share(points));
        const whole = BigInt(BASIS_POINTS_PER_WHOLE);
        const difference = fee * whole - amountMinor * BigInt(points);
        const distance = difference < 0n ? -difference : difference;
        expect(2n * distance <= whole).toBe(true);
        if (2n * distance === whole) expect(fee % 2n).toBe(0n);
      }),
      RUNS,
    );
  });

  it('favours neither side where it is halved: over a run of odd amounts nothing is won or lost', () => {
    let charged = 0n;
    let amount = 0n;
    for (let odd = 1n; odd < 4_000n; odd += 2n) {
      amount += odd;
      charged += feeOf(odd, EUR, share(5_000));
    }
    expect(2n * charged).toBe(amount);
  });

  it('of an amount that was split is, in sum, at most half a minor unit a part away from that of the whole', () => {
    fc.assert(
      fc.property(fc.array(amounts, { minLength: 1, maxLength: 20 }), basisPoints, (parts, points) => {
        const whole = parts.reduce((sum, part) => sum + part, 0n);
        const apart = parts.reduce((sum, part) => sum + feeOf(part, EUR, share(points)), 0n);
        const difference = apart - feeOf(whole, EUR, share(points));
        const distance = difference < 0n ? -difference : difference;
        expect(2n * distance <= BigInt(parts.length + 1)).toBe(true);
      }),
      RUNS,
    );
  });
});

describe('the fixed part', () => {
  const fixedMinor = [
    ['EUR', '25'],
    ['JPY', '30'],
  ] as const;

  it('is added to the share, after that was rounded', () => {
    expect(feeOf(150n, EUR, { basisPoints: 100, fixedMinor })).toBe(27n);
    expect(feeOf(250n, EUR, { basisPoints: 100, fixedMinor })).toBe(27n);
  });

  it('is that of the currency, and nothing in one that is not named', () => {
    const schedule = { basisPoints: 0, fixedMinor };
    expect(feeOf(1_000n, 'JPY' as Currency, schedule)).toBe(30n);
    expect(feeOf(1_000n, 'USD' as Currency, schedule)).toBe(0n);
  });
});

describe('a fee', () => {
  it('is nothing without a schedule', () => {
    expect(feeOf(10n ** 15n, EUR, NO_FEES)).toBe(0n);
  });

  it('takes the whole of an amount that is smaller, and no more', () => {
    const schedule: FeeSchedule = { basisPoints: 290, fixedMinor: [['EUR', '25']] };
    for (const amount of [0n, 1n, 24n, 25n]) expect(feeOf(amount, EUR, schedule)).toBe(amount);
    expect(feeOf(100n, EUR, schedule)).toBe(28n);
  });

  it('is never negative and never above the amount, and grows with it', () => {
    fc.assert(
      fc.property(amounts, schedules, (amountMinor, schedule) => {
        const fee = feeOf(amountMinor, EUR, schedule);
        expect(fee >= 0n && fee <= amountMinor).toBe(true);
        expect(feeOf(amountMinor + 1n, EUR, schedule) >= fee).toBe(true);
      }),
      RUNS,
    );
  });

  it('is not charged on a negative amount', () => {
    expect(() => feeOf(-1n, EUR, NO_FEES)).toThrow('not negative');
  });
});
