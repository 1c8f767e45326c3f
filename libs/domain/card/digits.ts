/** What a character means to someone reading a number: a digit in any script, a separator, or nothing at all. */

export const OTHER = -1;
export const SEPARATOR = -2;
export const INVISIBLE = -3;

const DECIMAL_DIGIT = /^\p{Nd}$/u;
// Blanks, dashes and dots in their typographic variants. Line breaks and tabs are none: they part columns and lists.
const SEPARATORS = /^[\p{Zs}\p{Pd}\u2212.\u00b7\u2022\u2024\u3002\uff0e\uff61]$/u;
// Zero-width characters, soft hyphens and marks over or around a digit (keycaps) are not seen as parting a number.
const INVISIBLES = /^[\p{Cf}\p{Mn}\p{Me}]$/u;

/** Values of non-ASCII digits met so far; Unicode has some 700, which bounds it. */
const knownDigits = new Map<number, number>();

/** A digit's value 0–9 in any script, else SEPARATOR, INVISIBLE or OTHER. */
export function readCharacter(codePoint: number): number {
  if (codePoint < 0x80) {
    if (codePoint >= 0x30 && codePoint <= 0x39) return codePoint - 0x30;
    return codePoint === 0x20 || codePoint === 0x2d || codePoint === 0x2e ? SEPARATOR : OTHER;
  }
  const known = knownDigits.get(codePoint);
  if (known !== undefined) return known;
  const character = String.fromCodePoint(codePoint);
  if (DECIMAL_DIGIT.test(character)) {
    const value = digitValue(codePoint);
    knownDigits.set(codePoint, value);
    return value;
  }
  if (SEPARATORS.test(character)) return SEPARATOR;
  return INVISIBLES.test(character) ? INVISIBLE : OTHER;
}

/** Unicode encodes decimal digits only as whole rows 0–9, so the place in an unbroken run of them tells the value. */
function digitValue(codePoint: number): number {
  let first = codePoint;
  while (DECIMAL_DIGIT.test(String.fromCodePoint(first - 1))) first -= 1;
  return (codePoint - first) % 10;
}

/** All digits of a text, of whatever script, as ASCII; everything else dropped. Linear time. */
export function digitsOf(text: string): string {
  let digits = '';
  for (const character of text) {
    const value = readCharacter(character.codePointAt(0) ?? 0);
    if (value >= 0) digits += String(value);
  }
  return digits;
}

/** The text with its digits, of whatever script, as ASCII and without what is invisible. Linear time. */
export function plainDigits(text: string): string {
  let plain = '';
  for (const character of text) {
    const value = readCharacter(character.codePointAt(0) ?? 0);
    if (value >= 0) plain += String(value);
    else if (value !== INVISIBLE) plain += character;
  }
  return plain;
}
