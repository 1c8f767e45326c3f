/** Rules of payment card numbers. Nothing here keeps, logs or throws with a number: errors must never carry one. */

/** Lengths that a request's card number may have (ISO/IEC 7812 ends at 19). */
export const CARD_NUMBER_MIN_LENGTH = 12;
export const CARD_NUMBER_MAX_LENGTH = 19;

/** The form of a card number in a request: ASCII digits without separators. Luhn's check comes on top. */
export const CARD_NUMBER_PATTERN = /^[0-9]{12,19}$/;

/** Whether a non-empty string of ASCII digits passes Luhn's check (ISO/IEC 7812-1 annex B). */
export function luhnValid(digits: string): boolean {
  if (!/^[0-9]+$/.test(digits)) {
    return false;
  }
  let sum = 0;
  for (let position = 0; position < digits.length; position += 1) {
    sum += luhnTerm(digits.charCodeAt(digits.length - 1 - position) - 48, position);
  }
  return sum % 10 === 0;
}

/** What a digit adds to Luhn's sum; `position` counts from the right, the check digit being 0. */
function luhnTerm(digit: number, position: number): number {
  if (position % 2 === 0) {
    return digit;
  }
  return digit > 4 ? digit * 2 - 9 : digit * 2;
}

interface IssuerRange {
  /** Inclusive range of leading digits, one to four. */
  readonly from: string;
  readonly to: string;
  readonly lengths: readonly number[];
}

const SIXTEEN_UP = [16, 17, 18, 19];

const range = (from: string, to: string, lengths: readonly number[]): IssuerRange => ({ from, to, lengths });

/**
 * Leading digits and lengths that card schemes issue today.
 *
 * Visa's 13 digits are out of use, and Maestro's 12 to 15 were never widely issued: they would hit every tenth of the article
 * and phone numbers that begin so. Left out: UATP (1 with 15 digits, an airline scheme no merchant here takes), for the same
 * reason.
 */
const ISSUER_RANGES: readonly IssuerRange[] = [
  range('4', '4', [16, 19]), // Visa
  range('51', '55', [16]), // Mastercard
  range('2221', '2720', [16]),
  range('34', '34', [15]), // American Express
  range('37', '37', [15]),
  range('6011', '6011', SIXTEEN_UP), // Discover
  range('644', '659', SIXTEEN_UP), // and Troy, RuPay
  ...['300-305', '3095-3095', '36-36', '38-39'].map((ends) => {
    const [from = '', to = ''] = ends.split('-');
    return range(from, to, [14, ...SIXTEEN_UP]); // Diners Club
  }),
  range('3528', '3589', SIXTEEN_UP), // JCB
  range('62', '62', SIXTEEN_UP), // UnionPay
  range('81', '81', SIXTEEN_UP), // and RuPay
  range('82', '82', [16]), // RuPay
  range('2200', '2205', SIXTEEN_UP), // Mir, Borica
  range('50', '50', SIXTEEN_UP), // Maestro, RuPay's 508, Verve, Elo
  range('56', '58', SIXTEEN_UP), // Maestro
  range('60', '61', SIXTEEN_UP),
  range('63', '63', SIXTEEN_UP),
  range('66', '69', SIXTEEN_UP),
  range('9792', '9792', [16]), // Troy
  range('9704', '9704', [16, 19]), // Napas
  range('8600', '8600', [16]), // Uzcard
  range('9860', '9860', [16]), // Humo
];

/** The shortest of them. */
export const ISSUED_MIN_LENGTH = 14;

/** Per first four digits, the allowed lengths as bits: searching text asks this for every few digits of it. */
const LENGTHS_BY_PREFIX: Int32Array = lengthsByPrefix();

function lengthsByPrefix(): Int32Array {
  const table = new Int32Array(10_000);
  for (const { from, to, lengths } of ISSUER_RANGES) {
    const bits = lengths.reduce((all, length) => all | (1 << length), 0);
    const last = Number(to.padEnd(4, '9'));
    for (let prefix = Number(from.padEnd(4, '0')); prefix <= last; prefix += 1) {
      table[prefix] = (table[prefix] ?? 0) | bits;
    }
  }
  return table;
}

/** Whether some card scheme issues numbers of this length that begin with these four digits (0–9999). */
export function isIssued(firstFourDigits: number, length: number): boolean {
  // Shifts count modulo 32, so a length out of range has to be refused before.
  return length <= CARD_NUMBER_MAX_LENGTH && ((LENGTHS_BY_PREFIX[firstFourDigits] ?? 0) & (1 << length)) !== 0;
}

/**
 * Whether ASCII digits are a card number as far as digits can tell: Luhn-valid, with a scheme's prefix and length. For
 * judging digits of unknown meaning; a number in a request's card field needs only its form and Luhn's check.
 */
export function isCardNumber(digits: string): boolean {
  return luhnValid(digits) && isIssued(Number(digits.slice(0, 4)), digits.length);
}

/**
 * Masks a card number with stars, at its own length: first 6 and last 4 stay from 15 digits on, below that the last 4
 * alone (6 and 4 would leave too few hidden). Up to 4 characters, which no card number has, are hidden wholly.
 */
export function maskCardNumber(number: string): string {
  const shownFirst = number.length >= 15 ? 6 : 0;
  const shownLast = number.length > 4 ? 4 : 0;
  const hidden = '*'.repeat(number.length - shownFirst - shownLast);
  return number.slice(0, shownFirst) + hidden + number.slice(number.length - shownLast);
}

/** How many digits the security code has: four on cards of American Express, three on all others. */
export function securityCodeLength(number: string): 3 | 4 {
  return /^3[47][0-9]{13}$/.test(number) ? 4 : 3;
}

/** No card is issued for longer. */
export const MAX_EXPIRY_YEARS_AHEAD = 20;
const HOURS_FIRST_ZONE_LEADS = 14;

/** Whether no card expires so late, by the calendar of the first time zone on Earth (UTC+14) to see a new year. */
export function expiryTooFar(expiryYear: string, nowMs: number): boolean {
  const thisYear = new Date(nowMs + HOURS_FIRST_ZONE_LEADS * 3_600_000).getUTCFullYear();
  return Number(expiryYear) > thisYear + MAX_EXPIRY_YEARS_AHEAD;
}

const HOURS_LAST_ZONE_LAGS = 12;

/**
 * Whether a card's last moment has passed. A card is good through the whole of its expiry month, and the issuer's clock
 * is unknown, so the month ends when it ends in the last time zone on Earth (UTC−12): a valid card is never refused, and
 * the issuer has the final word on the few hours too many.
 *
 * `expiryMonth` is `01`–`12`, `expiryYear` four digits, `nowMs` milliseconds since 1970-01-01T00:00:00Z. Malformed input
 * counts as expired.
 */
export function cardExpired(expiryMonth: string, expiryYear: string, nowMs: number): boolean {
  if (!/^(0[1-9]|1[0-2])$/.test(expiryMonth) || !/^[0-9]{4}$/.test(expiryYear)) {
    return true;
  }
  // Months count from 0 here: the expiry month's own number is the month after it, and 12 is next January.
  const validUntilMs = Date.UTC(Number(expiryYear), Number(expiryMonth), 1, HOURS_LAST_ZONE_LAGS);
  return !(nowMs < validUntilMs);
}
