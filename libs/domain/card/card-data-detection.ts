/**
 * Finds card numbers where none may stand: in descriptions, names, metadata. Such a field would be stored for ever, so
 * a miss weighs more than a false hit, which costs the merchant a 400 and another wording.
 *
 * Cannot be found: a number with further digits glued to it, spelled in words, parted by letters or line breaks, or
 * encoded otherwise than by percent signs. Can be hit by mistake: about one in twenty-six of the 16-digit numbers that are
 * no card. UUIDs and long hexadecimal identifiers are passed over: one in two thousand of them has a card number's digits.
 */
import {
  CARD_NUMBER_MAX_LENGTH,
  CARD_NUMBER_MIN_LENGTH,
  CARD_NUMBER_PATTERN,
  isCardNumber,
  isIssued,
  luhnTerm,
  luhnValid,
} from './card';
import { digitsOf, INVISIBLE, OTHER, plainDigits, readCharacter, SEPARATOR } from './digits';
import { writtenForms } from './written-forms';

const PERCENT = 0x25;
const ZERO = 0x30;
const NINE = 0x39;

/** `4111 - 1111` still reads as one number; wider gaps do not. */
const MAX_SEPARATORS_BETWEEN_DIGITS = 3;

/** RFC 9562 UUIDs, and digests or trace ids of 32 and more hexadecimal digits; a UUID without any letter is none by chance. */
const IDENTIFIERS = new RegExp(
  '(?<![0-9A-Za-z])(?:' +
    '(?=[0-9-]{0,35}[a-f])[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|[0-9a-f]{32,128}' +
    ')(?![0-9A-Za-z])',
  'gi',
);

/**
 * Numbers in the groups in which cards show them, parted by one and the same tab, slash, backslash, bar, underscore or plus
 * sign. These part dates, columns and lists far more often, so that beside other groups they are no separators.
 */
const PRINTED_GROUPS = [
  /(?<!\d)(?=(\d{4}) ?([\t/\\|_+]) ?(\d{4}) ?\2 ?(\d{4}) ?\2 ?(\d{4})(?!\d))/g,
  /(?<!\d)(?=(\d{4}) ?([\t/\\|_+]) ?(\d{4}) ?\2 ?(\d{4}) ?\2 ?(\d{4}) ?\2 ?(\d{1,3})(?!\d))/g,
  /(?<!\d)(?=(\d{4}) ?([\t/\\|_+]) ?(\d{6}) ?\2 ?(\d{4,5})(?!\d))/g,
];

/** Digits and the separators between them, as read so far: the candidate numbers are its whole groups of digits. */
class DigitChain {
  private digits: number[] = [];
  /** Per digit, whether a separator (or the chain's start) stands before it. */
  private startsGroup: boolean[] = [];
  private separators = 0;

  push(digit: number): void {
    this.startsGroup.push(this.digits.length === 0 || this.separators > 0);
    this.digits.push(digit);
    this.separators = 0;
  }

  /** True while the chain's last digit ends a group nobody has judged yet. */
  get endsInDigit(): boolean {
    return this.digits.length > 0 && this.separators === 0;
  }

  separate(): void {
    this.separators += 1;
    if (this.separators > MAX_SEPARATORS_BETWEEN_DIGITS) this.clear();
  }

  clear(): void {
    if (this.digits.length === 0) return;
    this.digits = [];
    this.startsGroup = [];
    this.separators = 0;
  }

  /**
   * Whether the last groups together are a card number, from any group on. Walks at most 19 digits back from the end,
   * which is the way Luhn's sum runs, so that a text of single digits costs no more than a constant per digit.
   */
  endsWithCardNumber(): boolean {
    let sum = 0;
    const longest = Math.min(this.digits.length, CARD_NUMBER_MAX_LENGTH);
    for (let length = 1; length <= longest; length += 1) {
      const index = this.digits.length - length;
      sum += luhnTerm(this.digits[index] ?? 0, length - 1);
      if (length < CARD_NUMBER_MIN_LENGTH || sum % 10 !== 0 || this.startsGroup[index] !== true) continue;
      if (isIssued(this.firstFour(index), length)) return true;
    }
    return false;
  }

  private firstFour(index: number): number {
    let value = 0;
    for (let offset = 0; offset < 4; offset += 1) value = value * 10 + (this.digits[index + offset] ?? 0);
    return value;
  }
}

/**
 * Whether the text, as it stands or percent-decoded, holds a card number: Luhn-valid digits with a scheme's prefix and
 * length, in any script, in groups parted by up to three blanks, dashes or dots (or as `PRINTED_GROUPS` says), next to
 * anything but further digits. A run of 20 or more digits is none, nor is any part of it. Linear in the text's length.
 */
export function containsCardNumber(text: string): boolean {
  if (text.length < CARD_NUMBER_MIN_LENGTH || hasFewDigits(text)) return false;
  return writtenForms(text).some((form) => {
    const judged = form.replaceAll(IDENTIFIERS, ';');
    return holdsChain(judged) || holdsPrintedGroups(judged);
  });
}

/** Tells of most texts at once that they can't hold a card number: nothing in them may stand for more digits than they show. */
function hasFewDigits(text: string): boolean {
  let digits = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 0x7f || code === PERCENT) return false;
    if (code >= ZERO && code <= NINE) digits += 1;
  }
  return digits < CARD_NUMBER_MIN_LENGTH;
}

function holdsChain(text: string): boolean {
  const chain = new DigitChain();
  for (const character of text) {
    const read = readCharacter(character.codePointAt(0) ?? 0);
    if (read >= 0) {
      chain.push(read);
    } else if (read !== INVISIBLE) {
      if (chain.endsInDigit && chain.endsWithCardNumber()) return true;
      if (read === SEPARATOR) chain.separate();
      if (read === OTHER) chain.clear();
    }
  }
  return chain.endsInDigit && chain.endsWithCardNumber();
}

function holdsPrintedGroups(text: string): boolean {
  if (!/[\t/\\|_+]/.test(text)) return false;
  const plain = plainDigits(text);
  return PRINTED_GROUPS.some((pattern) =>
    [...plain.matchAll(pattern)].some(([, first = '', , ...others]) => isCardNumber(first + others.join(''))),
  );
}

/**
 * Whether the text, as it stands or percent-decoded, holds this very card number, whatever stands between, before or after
 * its digits: nothing but its digits in order is asked for, since 12 or more of them do not come together by chance.
 * `cardNumber` is the request's own, ASCII digits; one that is malformed (and refused elsewhere) is never found. Linear in
 * the text's length.
 */
export function containsExactCardNumber(text: string, cardNumber: string): boolean {
  if (text.length < cardNumber.length || !CARD_NUMBER_PATTERN.test(cardNumber)) return false;
  return writtenForms(text).some((form) => digitsOf(form).includes(cardNumber));
}

/**
 * The same for a number of which only the mask is known, as `maskCardNumber` made it: Luhn-valid digits with its length and
 * its visible digits. Where the mask shows the last four alone, a scheme's prefix is asked for too; even then some other
 * number is hit by mistake about once in a million digits.
 */
export function containsMaskedCardNumber(text: string, masked: string): boolean {
  const shown = /^([0-9]*)\*+([0-9]{4})$/.exec(masked);
  if (shown === null || text.length < masked.length) return false;
  const [, first = '', last = ''] = shown;
  const isIt = first === '' ? isCardNumber : luhnValid;
  return writtenForms(text).some((form) => {
    const digits = digitsOf(form);
    for (let start = digits.indexOf(first); start !== -1; start = digits.indexOf(first, start + 1)) {
      const number = digits.slice(start, start + masked.length);
      if (number.length < masked.length) return false;
      if (number.endsWith(last) && isIt(number)) return true;
    }
    return false;
  });
}
