import { type Currency, isCurrency } from '@app/money';
import { assert } from '@app/event-sourcing';

/** What a merchant is charged for a captured payment: a share of its amount and a fixed part. */
export interface FeeSchedule {
  /** Hundredths of a percent of the captured amount, 0 to 10,000. */
  readonly basisPoints: number;
  /**
   * What is added to that, by currency: minor units as a decimal string. Nothing is added in a currency that isn't named.
   * Each currency stands here at most once.
   */
  readonly fixedMinor: readonly (readonly [currency: string, amountMinor: string])[];
}

/** How every merchant begins. */
export const NO_FEES: FeeSchedule = { basisPoints: 0, fixedMinor: [] };

export const BASIS_POINTS_PER_WHOLE = 10_000;

/** As many digits as an amount may have; no sign, no leading zeros. */
const FIXED_PART = /^(0|[1-9][0-9]{0,15})$/;

/** Whether fees can be computed by the schedule. */
export function isFeeSchedule({ basisPoints, fixedMinor }: FeeSchedule): boolean {
  const inRange = Number.isInteger(basisPoints) && basisPoints >= 0 && basisPoints <= BASIS_POINTS_PER_WHOLE;
  const partsHold = fixedMinor.every(([currency, amountMinor]) => isCurrency(currency) && FIXED_PART.test(amountMinor));
  const distinct = new Set(fixedMinor.map(([currency]) => currency)).size === fixedMinor.length;
  return inRange && partsHold && distinct;
}

/** The schedule as it is recorded, one way to write it for each meaning: by currency, without parts of nothing. */
export function normalizedSchedule({ basisPoints, fixedMinor }: FeeSchedule): FeeSchedule {
  const parts = fixedMinor.filter(([, amountMinor]) => amountMinor !== '0');
  return { basisPoints, fixedMinor: parts.toSorted(([one], [other]) => (one < other ? -1 : 1)) };
}

/** Whether two schedules, each as `normalizedSchedule` writes it, charge the same. */
export function isSameSchedule(one: FeeSchedule, other: FeeSchedule): boolean {
  const sameParts = JSON.stringify(one.fixedMinor) === JSON.stringify(other.fixedMinor);
  return sameParts && one.basisPoints === other.basisPoints;
}

/**
 * The fee on a captured amount, in minor units: the share, rounded half to even, and the fixed part of the currency. Never
 * more than the amount, so that a capture can't leave its merchant owing.
 *
 * @param amountMinor not negative.
 */
export function feeOf(amountMinor: bigint, currency: Currency, schedule: FeeSchedule): bigint {
  assert(amountMinor >= 0n, 'a fee is charged on an amount that is not negative');
  const share = divideHalfEven(amountMinor * BigInt(schedule.basisPoints), BigInt(BASIS_POINTS_PER_WHOLE));
  const fixed = schedule.fixedMinor.find(([named]) => named === currency)?.[1] ?? '0';
  const fee = share + BigInt(fixed);
  return fee < amountMinor ? fee : amountMinor;
}

/**
 * The quotient rounded to the nearest integer; from the very middle to the even one, so that over many fees the halves
 * favour neither side.
 */
function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twiceTheRest = 2n * (dividend % divisor);
  const up = twiceTheRest > divisor || (twiceTheRest === divisor && quotient % 2n === 1n);
  return up ? quotient + 1n : quotient;
}
