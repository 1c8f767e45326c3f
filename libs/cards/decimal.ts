/** Decimals whose fractions are as long as card numbers. */
import { type Characters, INVISIBLE, kindOf } from './digits';

const DOT = 0x2e;
const COMMA = 0x2c;
const ZERO = 0x30;
/** Of the whole part; a longer one is not a number used in calculations. */
const MAX_WHOLE_DIGITS = 15;

/**
 * Whether the digits at `start` follow a decimal point, as in `0.5309…`, `12.5309…` and `0,5309…`. Any other comma
 * separates columns, and a number with two points is not a decimal.
 */
export function isDecimalFraction(text: Characters, start: number): boolean {
  if (start < 2) return false;
  const point = text.charCodeAt(start - 1);
  if (point !== DOT && point !== COMMA) return false;
  let whole = start - 2;
  while (whole >= 0 && start - whole <= MAX_WHOLE_DIGITS + 1 && isDigit(text, whole)) whole -= 1;
  const digits = start - 2 - whole;
  if (digits === 0 || digits > MAX_WHOLE_DIGITS || (whole >= 0 && text.charCodeAt(whole) === point)) return false;
  return point === DOT || (digits === 1 && text.charCodeAt(start - 2) === ZERO);
}

function isDigit(text: Characters, index: number): boolean {
  return kindOf(text.charCodeAt(index)) < INVISIBLE;
}
