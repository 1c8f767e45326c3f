/** What a character means in a number: a digit in any script, a group separator, or nothing. */

/** Read by code units like a string; specs count the reads. */
export interface Characters {
  readonly length: number;
  charCodeAt(index: number): number;
}

/* Kinds of characters; 0 to 9 are digits of that value. */
export const INVISIBLE = 10;
export const OTHER = 11;
/** Only ASCII: words in other scripts may be next to a number without being part of it. */
export const LETTER = 12;
export const BLANK = 13;
const DASH = 14;
const DOT = 15;
/** From BLANK on, each separator has its own kind. */
const SIGNS = '\t/\\|_+';

const DECIMAL_DIGIT = /^\p{Nd}$/u;
// Zero-width characters, soft hyphens and marks on a digit (keycaps) do not visibly separate digits.
const INVISIBLES = /^[\p{Cf}\p{Mn}\p{Me}]$/u;
const DASHES = /^[\p{Pd}\u2212]$/u;
const DOTS = '.\u00b7\u2022\u2024\u3002\uff0e\uff61';
/** Anything else is OTHER, so that most characters need only one test. */
const MEANINGFUL = /^[\p{Nd}\p{Zs}\p{Pd}\p{Cf}\p{Mn}\p{Me}\u2212\u00b7\u2022\u2024\u3002\uff0e\uff61]$/u;

/** By code point, the kind plus one; 0 if not determined yet. Each character is classified only once. */
const KNOWN = new Uint8Array(0x110000);

/** A digit's value 0–9 in any script, otherwise one of the kinds. */
export function kindOf(codePoint: number): number {
  const known = KNOWN[codePoint] ?? 0;
  if (known > 0) return known - 1;
  const kind = askedKind(codePoint);
  KNOWN[codePoint] = kind + 1;
  return kind;
}

function askedKind(codePoint: number): number {
  const character = String.fromCodePoint(codePoint);
  if (codePoint < 0x80) {
    if (/[0-9]/.test(character)) return codePoint - 0x30;
    if (/[A-Za-z]/.test(character)) return LETTER;
    const sign = SIGNS.indexOf(character);
    if (sign !== -1) return DOT + 1 + sign;
  } else if (!MEANINGFUL.test(character)) {
    return OTHER;
  }
  if (DECIMAL_DIGIT.test(character)) return digitValue(codePoint);
  if (/^\p{Zs}$/u.test(character)) return BLANK;
  if (DASHES.test(character)) return DASH;
  if (DOTS.includes(character)) return DOT;
  return INVISIBLES.test(character) ? INVISIBLE : OTHER;
}

/** Whether characters of this kind can separate groups of a number. */
export function isSeparator(kind: number): boolean {
  return kind >= BLANK;
}

/** Unicode encodes decimal digits only in contiguous rows of 0–9, so the place in a run of them gives the value. */
function digitValue(codePoint: number): number {
  let first = codePoint;
  while (DECIMAL_DIGIT.test(String.fromCodePoint(first - 1))) first -= 1;
  return (codePoint - first) % 10;
}

/** The code point at `index`; a lone surrogate counts as one. */
export function codePointAt(text: Characters, index: number): number {
  const unit = text.charCodeAt(index);
  if (unit < 0xd800 || unit > 0xdbff || index + 1 >= text.length) return unit;
  const next = text.charCodeAt(index + 1);
  return next < 0xdc00 || next > 0xdfff ? unit : (unit - 0xd800) * 0x400 + next - 0xdc00 + 0x10000;
}

/** The kind of each code unit; the second half of a surrogate pair counts as invisible. */
export function kindsOf(units: Uint16Array, length: number): Uint8Array {
  const kinds = new Uint8Array(length);
  for (let index = 0; index < length; index += 1) {
    const unit = units[index] ?? 0;
    const next = index + 1 < length ? (units[index + 1] ?? 0) : 0;
    const isPair = unit >= 0xd800 && unit <= 0xdbff && next >= 0xdc00 && next <= 0xdfff;
    kinds[index] = kindOf(isPair ? (unit - 0xd800) * 0x400 + next - 0xdc00 + 0x10000 : unit);
    if (!isPair) continue;
    index += 1;
    kinds[index] = INVISIBLE;
  }
  return kinds;
}

/** The number of digits, in any script. */
export function countDigits(text: Characters): number {
  let count = 0;
  for (let index = 0; index < text.length;) {
    const codePoint = codePointAt(text, index);
    if (kindOf(codePoint) < INVISIBLE) count += 1;
    index += codePoint > 0xffff ? 2 : 1;
  }
  return count;
}
