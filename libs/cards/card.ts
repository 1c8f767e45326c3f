/** Rules for card numbers. Nothing here stores or logs a number, or puts one into an error. */

/** Lengths of card numbers accepted in requests (ISO/IEC 7812 ends at 19). */
export const CARD_NUMBER_MIN_LENGTH = 12;
export const CARD_NUMBER_MAX_LENGTH = 19;

/** The form of a card number in a request: ASCII digits without separators. The Luhn check is separate. */
export const CARD_NUMBER_PATTERN = /^[0-9]{12,19}$/;

/** Whether a non-empty string of ASCII digits passes the Luhn check (ISO/IEC 7812-1 annex B). */
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

/** What a digit adds to the Luhn sum; `position` counts from the right, starting with 0 for the check digit. */
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
 * Prefixes and lengths that card schemes issue today.
 *
 * Left out: Visa's 13 digits, which are out of use; Maestro's 12 to 15, which were never widely issued; UATP (1 with 15
 * digits), an airline scheme that no merchant here accepts. Each would match one in ten article and phone numbers with
 * such a prefix.
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

/** For each possible first four digits, the allowed lengths as bits: a search looks this up every few digits. */
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

/** Whether a card scheme issues numbers of this length that begin with these four digits (0–9999). */
export function isIssued(firstFourDigits: number, length: number): boolean {
  // Shifts are modulo 32, so lengths out of range must be excluded first.
  return length <= CARD_NUMBER_MAX_LENGTH && ((LENGTHS_BY_PREFIX[firstFourDigits] ?? 0) & (1 << length)) !== 0;
}

/**
 * Whether ASCII digits look like a card number: Luhn-valid, with an issuer's prefix and length. For digits of unknown
 * meaning; a request's card field needs only the right form and the Luhn check.
 */
export function isCardNumber(digits: string): boolean {
  return luhnValid(digits) && isIssued(Number(digits.slice(0, 4)), digits.length);
}

/**
 * Masks a card number with stars, keeping its length. From 15 digits on, the first 6 and last 4 stay visible; below
 * that only the last 4, because too few would be hidden. Up to 4 characters, which no card number has, are hidden
 * completely.
 */
export function maskCardNumber(number: string): string {
  const shownFirst = number.length >= 15 ? 6 : 0;
  const shownLast = number.length > 4 ? 4 : 0;
  const hidden = '*'.repeat(number.length - shownFirst - shownLast);
  return number.slice(0, shownFirst) + hidden + number.slice(number.length - shownLast);
}

/** The length of the security code: four digits for American Express, three for all others. */
export function securityCodeLength(number: string): 3 | 4 {
  return /^3[47][0-9]{13}$/.test(number) ? 4 : 3;
}

/** No card is valid for longer. */
export const MAX_EXPIRY_YEARS_AHEAD = 20;
const HOURS_FIRST_ZONE_LEADS = 14;

/**
 * Whether the expiry is later than that of any card, by the calendar of the first time zone to see a new year (UTC+14).
 */
export function expiryTooFar(expiryYear: string, nowMs: number): boolean {
  const thisYear = new Date(nowMs + HOURS_FIRST_ZONE_LEADS * 3_600_000).getUTCFullYear();
  return Number(expiryYear) > thisYear + MAX_EXPIRY_YEARS_AHEAD;
}

const HOURS_LAST_ZONE_LAGS = 12;

/**
 * Whether a card has expired. It is valid through the whole of its expiry month. The issuer's time zone is unknown, so
 * the month ends when it ends in the last time zone on Earth (UTC−12): a valid card is never refused, and the issuer
 * decides about the extra hours.
 *
 * `expiryMonth` is `01`–`12`, `expiryYear` four digits, `nowMs` milliseconds since 1970-01-01T00:00:00Z. Malformed
 * input counts as expired.
 */
export function cardExpired(expiryMonth: string, expiryYear: string, nowMs: number): boolean {
  if (!/^(0[1-9]|1[0-2])$/.test(expiryMonth) || !/^[0-9]{4}$/.test(expiryYear)) {
    return true;
  }
  // Date.UTC counts months from 0, so the expiry month's number is the month after it, and 12 is next January.
  const validUntilMs = Date.UTC(Number(expiryYear), Number(expiryMonth), 1, HOURS_LAST_ZONE_LAGS);
  return !(nowMs < validUntilMs);
}
