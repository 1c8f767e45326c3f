/** Printed IBANs, whose groups look like a card's. */
import { type Characters, isSeparator, kindOf, LETTER } from './digits';

const MIN_LENGTH = 15;
const MAX_LENGTH = 34;
const GROUP_LENGTH = 4;

/**
 * The end of the IBAN (ISO 13616) that starts at `start`, or -1 if there is none. Finds only IBANs with correct check
 * digits in groups of four with one separator each: in an unbroken IBAN, its letters already mark the digits as part of
 * a word. Reads at most 45 characters.
 */
export function printedIbanEnd(text: Characters, start: number): number {
  const [first, second] = [valueAt(text, start), valueAt(text, start + 1)];
  const [tens, ones] = [valueAt(text, start + 2), valueAt(text, start + 3)];
  if (first < 10 || second < 10 || tens < 0 || tens > 9 || ones < 0 || ones > 9) return -1;
  const isRight = (account: number) => (((account * 100 + first) * 100 + second) * 100 + tens * 10 + ones) % 97 === 1;

  let end = -1;
  let account = 0;
  let length = GROUP_LENGTH;
  let size = GROUP_LENGTH;
  for (let index = start + GROUP_LENGTH; size === GROUP_LENGTH && length < MAX_LENGTH; length += size) {
    if (index >= text.length || !isSeparator(kindOf(text.charCodeAt(index)))) break;
    index += 1;
    for (size = 0; size <= GROUP_LENGTH; size += 1, index += 1) {
      const value = valueAt(text, index);
      if (value === -1) break;
      account = (account * (value > 9 ? 100 : 10) + value) % 97;
    }
    if (size <= GROUP_LENGTH && length + size >= MIN_LENGTH && isRight(account)) end = index;
  }
  return end;
}

/** The value of a character in ISO 13616: a digit as itself, A to Z as 10 to 35; -1 for anything else. */
function valueAt(text: Characters, index: number): number {
  if (index >= text.length) return -1;
  const unit = text.charCodeAt(index);
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  return kindOf(unit) === LETTER ? (unit | 0x20) - 0x61 + 10 : -1;
}
