/**
 * Finds card numbers where none may stand: in descriptions, names, metadata. Such a field would be stored for ever, so
 * a miss weighs more than a false hit, which costs the merchant a 400 and another wording.
 *
 * Cannot be found: a number with further digits glued to it, spelled in words, parted by letters or line breaks, or
 * encoded. Can be hit by mistake: about one in twenty-six of the 16-digit numbers that are no card.
 */
import { CARD_NUMBER_MAX_LENGTH, CARD_NUMBER_MIN_LENGTH, CARD_NUMBER_PATTERN, isIssued, luhnTerm } from './card';
import { digitsOf, INVISIBLE, OTHER, readCharacter, SEPARATOR } from './digits';

/** `4111 - 1111` still reads as one number; wider gaps do not. */
const MAX_SEPARATORS_BETWEEN_DIGITS = 3;

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
 * Whether the text holds a card number: Luhn-valid digits with a scheme's prefix and length, in any script, in groups
 * parted by up to three blanks, dashes or dots, next to anything but further digits. A run of 20 or more digits is none,
 * nor is any part of it. Linear in the text's length.
 */
export function containsCardNumber(text: string): boolean {
  if (text.length < CARD_NUMBER_MIN_LENGTH) return false;
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

/**
 * Whether the text holds this very card number, whatever stands between, before or after its digits: nothing but its
 * digits in order is asked for, since 12 or more of them do not come together by chance. `cardNumber` is the request's
 * own, ASCII digits; one that is malformed (and refused elsewhere) is never found. Linear in the text's length.
 */
export function containsExactCardNumber(text: string, cardNumber: string): boolean {
  if (text.length < cardNumber.length) return false;
  return CARD_NUMBER_PATTERN.test(cardNumber) && digitsOf(text).includes(cardNumber);
}
