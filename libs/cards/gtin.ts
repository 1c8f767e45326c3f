/** Article numbers of 14 digits; only these are as long as a card number. */
import type { RecentDigits } from './digit-runs';
import type { Characters } from './digits';

const GTIN_LENGTH = 14;
const LOOK_BACK = 12;
const CALLED_GTIN = /(?:(?<![a-z])(?:gtin|ean|upc)(?:[- ]?14)?[^0-9a-z]{0,3}|\(01\) ?)$/i;

/** Whether the last digits have the check digit of a GTIN-14, which one in ten 14-digit numbers has. */
export function isGtin(digits: RecentDigits, length: number): boolean {
  if (length !== GTIN_LENGTH) return false;
  let sum = 0;
  for (let place = 0; place < GTIN_LENGTH; place += 1) sum += digits.at(place) * (place % 2 === 0 ? 1 : 3);
  return sum % 10 === 0;
}

/** Whether the text labels the number at `start` as one: `GTIN 3061…`, `EAN: 3061…`, `(01)3061…`. */
export function isCalledGtin(text: Characters, start: number): boolean {
  let before = '';
  for (let index = Math.max(0, start - LOOK_BACK); index < start; index += 1) {
    before += String.fromCharCode(text.charCodeAt(index));
  }
  return CALLED_GTIN.test(before);
}
