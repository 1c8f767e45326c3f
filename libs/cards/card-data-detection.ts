/**
 * Finds card numbers where none may stand: in whatever is kept, passed on, logged or hashed. A number is one by its digits
 * (Luhn's check, an issuer's prefix with a length in use) and by how it is written: in one row, or in a card's groups with
 * one and the same separator, and not as part of a longer number, a word, an IBAN or a decimal. So every tenth of the 16-digit
 * numbers that begin like a card is refused, and phone, article, account and order numbers are not.
 *
 * The request's own card number is known, and found however it is written.
 */
import { CARD_NUMBER_MAX_LENGTH, CARD_NUMBER_PATTERN, isIssued, ISSUED_MIN_LENGTH } from './card';
import { isDecimalFraction } from './decimal';
import { type DigitRun, RecentDigits, someDigitRun } from './digit-runs';
import { type Characters, INVISIBLE } from './digits';
import { isCalledGtin, isGtin } from './gtin';
import { type WrittenForm, WrittenText } from './written-forms';

export interface Place {
  /** The place is made for article numbers: a GTIN-14 is none of Diners Club's there. */
  readonly isForArticles?: boolean;
}

/** The groups in which cards show and people write their numbers. */
const GROUPINGS = [
  [4, 4, 4, 4],
  [4, 4, 4, 4, 1],
  [4, 4, 4, 4, 2],
  [4, 4, 4, 4, 3],
  [4, 6, 5],
  [4, 6, 4],
  [4, 4, 4, 3],
  [4, 4, 4, 2],
  [6, 13],
].map((lengths) => ({
  last: lengths.at(-1) ?? 0,
  digits: lengths.reduce((sum, length) => sum + length, 0),
  // Each length is a hexadecimal digit, as in `Groups`.
  lengths: lengths.reduce((all, length) => all * 16 + length, 0),
  mask: 16 ** lengths.length - 1,
}));
const LONGEST_GROUP = 13;
/** By the length of the last group: a text of nothing but groups costs little for each. */
const GROUPINGS_BY_LAST = Array.from({ length: LONGEST_GROUP + 1 }, (_, length) =>
  GROUPINGS.filter(({ last }) => last === length),
);

/** Whether the text, as it stands or percent-decoded, holds a card number, in any script. Linear in the text's length. */
export function containsCardNumber(text: Characters, place: Place = {}): boolean {
  const written = writtenText(text);
  if (!written.mayHoldDigits(ISSUED_MIN_LENGTH)) return false;
  return written.forms.some((form) => {
    const groups = new Groups();
    return someDigitRun(form, (run) => isWrittenInOneRow(form, run, place) || groups.endInCardNumber(run));
  });
}

function writtenText(text: Characters): WrittenText {
  return text instanceof WrittenText ? text : new WrittenText(text);
}

function isWrittenInOneRow(text: WrittenForm, run: DigitRun, { isForArticles = false }: Place): boolean {
  const { digits, length } = run;
  if (run.isGlued || length < ISSUED_MIN_LENGTH || length > CARD_NUMBER_MAX_LENGTH) return false;
  if (!areCardNumber(digits, length) || isDecimalFraction(text, run.start)) return false;
  return !(isGtin(digits, length) && (isForArticles || isCalledGtin(text, run.start)));
}

/** The last groups of digits that were parted by one and the same separator. */
class Groups {
  private lengths = 0;
  private separator = 0;

  /** Takes the next row of digits; whether it ends a card number in groups. */
  endInCardNumber({ length, digits, gap, isGlued }: DigitRun): boolean {
    if (isGlued || length > LONGEST_GROUP) {
      this.lengths = 0;
      return false;
    }
    if (gap === 0) this.lengths = 0;
    else if (gap !== this.separator) this.lengths &= 0xf;
    this.separator = gap;
    this.lengths = ((this.lengths << 4) | length) & 0xfffff;
    return (GROUPINGS_BY_LAST[length] ?? []).some(
      (grouping) => (this.lengths & grouping.mask) === grouping.lengths && areCardNumber(digits, grouping.digits),
    );
  }
}

/** Whether the last digits are Luhn-valid, with an issuer's prefix and length. */
function areCardNumber(digits: RecentDigits, length: number): boolean {
  if (!digits.areLuhnValid(length)) return false;
  let firstFour = 0;
  for (let back = length - 1; back >= length - 4; back -= 1) firstFour = firstFour * 10 + digits.at(back);
  return isIssued(firstFour, length);
}

/**
 * Whether the text, as it stands or percent-decoded, holds this very card number, whatever stands between, before or after
 * its digits: nothing but its digits in order is asked for, since 12 or more of them do not come together by chance.
 * `cardNumber` is the request's own, ASCII digits; one that is malformed (and refused elsewhere) is never found.
 */
export function containsExactCardNumber(text: Characters, cardNumber: string): boolean {
  if (!CARD_NUMBER_PATTERN.test(cardNumber)) return false;
  return holdsDigits(text, [...cardNumber].map(Number), () => true);
}

/**
 * The same for a number of which only the mask is known, as `maskCardNumber` made it: Luhn-valid digits with its length and
 * its visible digits. Where the mask shows the last four alone, an issuer's prefix is asked for too, if there is one of that
 * length; even then some other number is hit by mistake about once in a million digits.
 */
export function containsMaskedCardNumber(text: Characters, masked: string): boolean {
  if (!/^[0-9]*\*+[0-9]{4}$/.test(masked) || masked.length > CARD_NUMBER_MAX_LENGTH) return false;
  const shown = [...masked].map((character) => (character === '*' ? null : Number(character)));
  const mustBeIssued = shown[0] === null && masked.length >= ISSUED_MIN_LENGTH;
  return holdsDigits(text, shown, mustBeIssued ? areCardNumber : (digits, length) => digits.areLuhnValid(length));
}

/** Whether the text's digits hold these in a row; null stands for any. Looks at each window of 19 digits at most, from its end. */
function holdsDigits(
  text: Characters,
  wanted: readonly (number | null)[],
  isIt: (digits: RecentDigits, length: number) => boolean,
): boolean {
  const { length } = wanted;
  const written = writtenText(text);
  if (!written.mayHoldDigits(length)) return false;
  return written.forms.some((form) => {
    const digits = new RecentDigits();
    const { kinds } = form;
    for (let index = 0; index < kinds.length; index += 1) {
      const kind = kinds[index] ?? INVISIBLE;
      if (kind >= INVISIBLE) continue;
      digits.push(kind);
      if (digits.count >= length && fits(digits, wanted) && isIt(digits, length)) return true;
    }
    return false;
  });
}

function fits(digits: RecentDigits, wanted: readonly (number | null)[]): boolean {
  const last = wanted.length - 1;
  for (let place = 0; place <= last; place += 1) {
    const digit = wanted[last - place];
    if (digit !== null && digit !== digits.at(place)) return false;
  }
  return true;
}
