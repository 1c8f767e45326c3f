/** Article numbers of 14 digits, the only ones as long as a card's. */
import type { RecentDigits } from './digit-runs';
import type { Characters } from './digits';

const GTIN_LENGTH = 14;
const LOOK_BACK = 12;
const CALLED_GTIN = /(?:(?<![a-z])(?:gtin|ean|upc)(?:[- ]?14)?[^0-9a-z]{0,3}|\(01\) ?)$/i;

/** Whether the last digits are a GTIN-14 by their check digit, as one in ten of all numbers of 14 digits is. */
export function isGtin(digits: RecentDigits, length: number): boolean {
  if (length !== GTIN_LENGTH) return false;
  let sum = 0;
  for (let place = 0; place < GTIN_LENGTH; place += 1) sum += digits.at(place) * (place % 2 === 0 ? 1 : 3);
  return sum % 10 === 0;
}

/** Whether the text calls the number that begins at `start` one: `GTIN 3061…`, `EAN: 3061…`, `(01)3061…`. */
export function isCalledGtin(text: Characters, start: number): boolean {
  let before = '';
  for (let index = Math.max(0, start - LOOK_BACK); index < start; index += 1) {
    before += String.fromCharCode(text.charCodeAt(index));
  }
  return CALLED_GTIN.test(before);
}
