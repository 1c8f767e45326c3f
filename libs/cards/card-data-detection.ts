/**
 * Finds card numbers where they are not allowed: in anything stored, passed on, logged or hashed. A number counts as
 * one by its digits (Luhn check, issuer prefix and a length in use) and by its spelling: unbroken, or in a card's
 * groups with one separator, and not part of a longer number, a word, an IBAN or a decimal. So one in ten 16-digit
 * numbers with an issuer prefix is refused, but phone, article, account and order numbers are not.
 *
 * The request's own card number is known, and is found in any spelling.
 */
import { CARD_NUMBER_MAX_LENGTH, CARD_NUMBER_PATTERN, isIssued, ISSUED_MIN_LENGTH } from './card';
import { isDecimalFraction } from './decimal';
import { type DigitRun, RecentDigits, someDigitRun } from './digit-runs';
import { type Characters, INVISIBLE } from './digits';
import { isCalledGtin, isGtin } from './gtin';
import { type WrittenForm, WrittenText } from './written-forms';

export interface Place {
  /** The field is meant for article numbers: there a GTIN-14 does not count as a Diners Club number. */
  readonly isForArticles?: boolean;
}

/** The groups in which numbers appear on cards and are typed. */
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
  // One hexadecimal digit per length, as in `Groups`.
  lengths: lengths.reduce((all, length) => all * 16 + length, 0),
  mask: 16 ** lengths.length - 1,
}));
const LONGEST_GROUP = 13;
/** Indexed by the length of the last group, so that each group costs little even in a text of nothing but groups. */
const GROUPINGS_BY_LAST = Array.from({ length: LONGEST_GROUP + 1 }, (_, length) =>
  GROUPINGS.filter(({ last }) => last === length),
);

/**
 * Whether the text, unchanged or percent-decoded, contains a card number, in any script. Linear in the text's length.
 */
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

/** The latest groups of digits with the same separator between them. */
class Groups {
  private lengths = 0;
  private separator = 0;

  /** Adds the next run of digits; returns whether it completes a card number in groups. */
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

/** Whether the last digits pass the Luhn check and have an issuer's prefix and length. */
function areCardNumber(digits: RecentDigits, length: number): boolean {
  if (!digits.areLuhnValid(length)) return false;
  let firstFour = 0;
  for (let back = length - 1; back >= length - 4; back -= 1) firstFour = firstFour * 10 + digits.at(back);
  return isIssued(firstFour, length);
}

/**
 * Whether the text, unchanged or percent-decoded, contains this card number, whatever is between, before or after its
 * digits. Only the order of the digits matters, since 12 or more do not match by chance. `cardNumber` is the request's
 * own, in ASCII digits; a malformed one (refused elsewhere) is never found.
 */
export function containsExactCardNumber(text: Characters, cardNumber: string): boolean {
  if (!CARD_NUMBER_PATTERN.test(cardNumber)) return false;
  return holdsDigits(text, [...cardNumber].map(Number), () => true);
}

/**
 * Like `containsExactCardNumber`, for a number of which only the mask by `maskCardNumber` is known: looks for digits
 * that pass the Luhn check and match its length and visible digits. If the mask shows only the last four, they must
 * also have an issuer's prefix, if that length is issued; even then about one in a million digits matches by mistake.
 */
export function containsMaskedCardNumber(text: Characters, masked: string): boolean {
  if (!/^[0-9]*\*+[0-9]{4}$/.test(masked) || masked.length > CARD_NUMBER_MAX_LENGTH) return false;
  const shown = [...masked].map((character) => (character === '*' ? null : Number(character)));
  const mustBeIssued = shown[0] === null && masked.length >= ISSUED_MIN_LENGTH;
  return holdsDigits(text, shown, mustBeIssued ? areCardNumber : (digits, length) => digits.areLuhnValid(length));
}

/**
 * Whether the text contains these digits in a row; null matches any digit. Compares each window of at most 19 digits
 * from its end.
 */
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
