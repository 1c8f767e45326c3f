/** How a text may be meant: URLs and form data carry it percent-encoded, now and then more than once. */
import type { Characters } from './digits';

/** What an encoder made of another encoder's work is undone twice more; nobody reads what lies deeper. */
const MAX_DECODINGS = 3;
const PERCENT = 0x25;
const ENCODED_LENGTH = 3;

/** The text as it stands, then percent-decoded once, twice and three times, as long as that changes it. */
export function writtenForms(text: Characters): readonly Characters[] {
  const forms = [text];
  for (let form = text; forms.length <= MAX_DECODINGS;) {
    const first = firstEncoded(form);
    if (first === -1) break;
    const decoded = percentDecoded(form, first);
    forms.push(decoded);
    form = decoded;
  }
  return forms;
}

/** Code units in the place of a string: a hostile text would be put together out of a hundred thousand pieces. */
class Decoded implements Characters {
  length = 0;
  private readonly units: Uint16Array;

  constructor(maxLength: number) {
    this.units = new Uint16Array(maxLength);
  }

  charCodeAt(index: number): number {
    return this.units[index] ?? Number.NaN;
  }

  push(unit: number): void {
    this.units[this.length] = unit;
    this.length += 1;
  }

  pushCodePoint(codePoint: number): void {
    if (codePoint < 0x10000) return this.push(codePoint);
    this.push(0xd800 + ((codePoint - 0x10000) >> 10));
    this.push(0xdc00 + ((codePoint - 0x10000) & 0x3ff));
  }
}

/** Where the first encoded byte stands, or -1. */
function firstEncoded(text: Characters): number {
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) === PERCENT && byteAt(text, index) !== -1) return index;
  }
  return -1;
}

function percentDecoded(text: Characters, first: number): Characters {
  const decoded = new Decoded(text.length);
  for (let index = 0; index < first; index += 1) decoded.push(text.charCodeAt(index));
  for (let index = first; index < text.length;) {
    const unit = text.charCodeAt(index);
    const byte = unit === PERCENT ? byteAt(text, index) : -1;
    if (byte === -1) {
      decoded.push(unit);
      index += 1;
    } else {
      const bytes = sequenceLength(text, index, byte);
      decoded.pushCodePoint(bytes === 1 ? byte : codePointOf(text, index, byte, bytes));
      index += bytes * ENCODED_LENGTH;
    }
  }
  return decoded;
}

/** The byte encoded at `index`, or -1. */
function byteAt(text: Characters, index: number): number {
  if (index + ENCODED_LENGTH > text.length || text.charCodeAt(index) !== PERCENT) return -1;
  const high = hexValue(text.charCodeAt(index + 1));
  const low = hexValue(text.charCodeAt(index + 2));
  return high === -1 || low === -1 ? -1 : high * 16 + low;
}

function hexValue(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : -1;
}

/** How many bytes one character takes; those that are no UTF-8 are read one by one, as Latin-1. */
function sequenceLength(text: Characters, index: number, lead: number): number {
  const bytes =
    lead >= 0xf0 && lead <= 0xf4 ? 4 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xc2 && lead < 0xe0 ? 2 : 1;
  for (let at = 1; at < bytes; at += 1) {
    const byte = byteAt(text, index + at * ENCODED_LENGTH);
    if (byte < 0x80 || byte > 0xbf) return 1;
  }
  return bytes;
}

function codePointOf(text: Characters, index: number, lead: number, bytes: number): number {
  let codePoint = lead & (0xff >> (bytes + 1));
  for (let at = 1; at < bytes; at += 1) {
    codePoint = codePoint * 0x40 + (byteAt(text, index + at * ENCODED_LENGTH) & 0x3f);
  }
  return Math.min(codePoint, 0x10ffff);
}
