/** The possible readings of a text: in URLs and form data it is percent-encoded, sometimes more than once. */
import { CARD_NUMBER_MAX_LENGTH } from './card';
import { type Characters, kindsOf } from './digits';

/** One decoding, and two more for texts that were encoded repeatedly; nobody reads anything deeper. */
const MAX_DECODINGS = 3;
const PERCENT = 0x25;
const ENCODED_LENGTH = 3;

/**
 * One reading of a text. Stored as code units: as a string, a hostile text would be built from a hundred thousand
 * pieces.
 */
export class WrittenForm implements Characters {
  length = 0;
  private readonly units: Uint16Array;
  private knownKinds: Uint8Array | null = null;

  constructor(maxLength: number) {
    this.units = new Uint16Array(maxLength);
  }

  charCodeAt(index: number): number {
    return this.units[index] ?? Number.NaN;
  }

  /** By code unit; the second half of a surrogate pair is invisible. Cached, because every search needs it. */
  get kinds(): Uint8Array {
    this.knownKinds ??= kindsOf(this.units, this.length);
    return this.knownKinds;
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

/** A text for several searches: its readings are determined only once. */
export class WrittenText implements Characters {
  private known: readonly WrittenForm[] | null = null;
  private possibleDigits = -1;

  constructor(private readonly text: Characters) {}

  get length(): number {
    return this.text.length;
  }

  charCodeAt(index: number): number {
    return this.text.charCodeAt(index);
  }

  /**
   * Quickly rules out most texts, which cannot contain that many digits. A percent-encoded digit, in any script, has at
   * least one decimal digit among its hexadecimal ones.
   */
  mayHoldDigits(count: number): boolean {
    if (this.possibleDigits === -1) this.possibleDigits = countPossibleDigits(this.text);
    return this.possibleDigits >= count;
  }

  /** The text unchanged, then percent-decoded once, twice and three times, as long as that changes it. */
  get forms(): readonly WrittenForm[] {
    this.known ??= writtenForms(this.text);
    return this.known;
  }
}

/** Stops at the length of the longest card number. */
function countPossibleDigits(text: Characters): number {
  let possible = 0;
  for (let index = 0; index < text.length && possible < CARD_NUMBER_MAX_LENGTH; index += 1) {
    const unit = text.charCodeAt(index);
    if ((unit >= 0x30 && unit <= 0x39) || unit > 0x7f) possible += 1;
  }
  return possible;
}

function writtenForms(text: Characters): readonly WrittenForm[] {
  const asItStands = new WrittenForm(text.length);
  for (let index = 0; index < text.length; index += 1) asItStands.push(text.charCodeAt(index));
  const forms = [asItStands];
  for (let form = asItStands; forms.length <= MAX_DECODINGS;) {
    const first = firstEncoded(form);
    if (first === -1) break;
    form = percentDecoded(form, first);
    forms.push(form);
  }
  return forms;
}

/** The index of the first encoded byte, or -1. */
function firstEncoded(text: WrittenForm): number {
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) === PERCENT && byteAt(text, index) !== -1) return index;
  }
  return -1;
}

function percentDecoded(text: WrittenForm, first: number): WrittenForm {
  const decoded = new WrittenForm(text.length);
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
function byteAt(text: WrittenForm, index: number): number {
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

/** The number of bytes of one character; bytes that are not UTF-8 are read one by one, as Latin-1. */
function sequenceLength(text: WrittenForm, index: number, lead: number): number {
  const bytes =
    lead >= 0xf0 && lead <= 0xf4 ? 4 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xc2 && lead < 0xe0 ? 2 : 1;
  for (let at = 1; at < bytes; at += 1) {
    const byte = byteAt(text, index + at * ENCODED_LENGTH);
    if (byte < 0x80 || byte > 0xbf) return 1;
  }
  return bytes;
}

function codePointOf(text: WrittenForm, index: number, lead: number, bytes: number): number {
  let codePoint = lead & (0xff >> (bytes + 1));
  for (let at = 1; at < bytes; at += 1) {
    codePoint = codePoint * 0x40 + (byteAt(text, index + at * ENCODED_LENGTH) & 0x3f);
  }
  return Math.min(codePoint, 0x10ffff);
}
