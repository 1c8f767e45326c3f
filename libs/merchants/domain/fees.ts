import { type Currency, isCurrency } from '@app/money';
import { assert } from '@app/event-sourcing';

/** What a merchant is charged for a captured payment: a share of the amount plus a fixed part. */
export interface FeeSchedule {
  /** Hundredths of a percent of the captured amount, 0 to 10,000. */
  readonly basisPoints: number;
  /**
   * The fixed part by currency: minor units as a decimal string. Currencies not listed have none. Each currency occurs
   * at most once.
   */
  readonly fixedMinor: readonly (readonly [currency: string, amountMinor: string])[];
}

/** A new merchant's fee schedule. */
export const NO_FEES: FeeSchedule = { basisPoints: 0, fixedMinor: [] };

export const BASIS_POINTS_PER_WHOLE = 10_000;

/** The maximum length of an amount; no sign, no leading zeros. */
const FIXED_PART = /^(0|[1-9][0-9]{0,15})$/;

/** Whether the schedule is valid. */
export function isFeeSchedule({ basisPoints, fixedMinor }: FeeSchedule): boolean {
  const inRange = Number.isInteger(basisPoints) && basisPoints >= 0 && basisPoints <= BASIS_POINTS_PER_WHOLE;
  const partsHold = fixedMinor.every(([currency, amountMinor]) => isCurrency(currency) && FIXED_PART.test(amountMinor));
  const distinct = new Set(fixedMinor.map(([currency]) => currency)).size === fixedMinor.length;
  return inRange && partsHold && distinct;
}

/** The schedule in canonical form, as recorded: sorted by currency, without zero parts. */
export function normalizedSchedule({ basisPoints, fixedMinor }: FeeSchedule): FeeSchedule {
  const parts = fixedMinor.filter(([, amountMinor]) => amountMinor !== '0');
  return { basisPoints, fixedMinor: parts.toSorted(([one], [other]) => (one < other ? -1 : 1)) };
}

/** Whether two schedules charge the same; both must be in the form that `normalizedSchedule` returns. */
export function isSameSchedule(one: FeeSchedule, other: FeeSchedule): boolean {
  const sameParts = JSON.stringify(one.fixedMinor) === JSON.stringify(other.fixedMinor);
  return sameParts && one.basisPoints === other.basisPoints;
}

/**
 * The fee on a captured amount, in minor units: the share, rounded half to even, plus the currency's fixed part. Never
 * more than the amount, so that a merchant never owes money for a capture.
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
 * The quotient rounded to the nearest integer, with ties to even, so that over many fees rounding favours neither side.
 */
function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twiceTheRest = 2n * (dividend % divisor);
  const up = twiceTheRest > divisor || (twiceTheRest === divisor && quotient % 2n === 1n);
  return up ? quotient + 1n : quotient;
}
