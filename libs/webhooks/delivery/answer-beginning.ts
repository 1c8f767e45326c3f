import { containsCardNumber } from '@app/cards';
import { maskedDigits } from '@app/platform/telemetry';

/** So much of an answer is shown, in characters. */
export const MAX_BEGINNING_LENGTH = 1_000;
/** Of a digit row that goes on behind the end of that, enough is looked at to know it for a card number. */
const BYTES_LOOKED_AT = 4 * MAX_BEGINNING_LENGTH + 128;

const TEXT = /^(text\/|application\/([^;]*\+)?(json|xml)\b)/i;
const WITHHELD = '(withheld: it holds a card number)';

/** Gathers as many of an answer's first bytes as are looked at. */
export class Beginning {
  private readonly chunks: Uint8Array[] = [];
  private length = 0;

  add(chunk: Uint8Array): void {
    const wanted = chunk.subarray(0, BYTES_LOOKED_AT - this.length);
    if (wanted.length === 0) return;
    this.chunks.push(wanted);
    this.length += wanted.length;
  }

  /**
   * As it may be stored and shown: a text alone, without anything that could be a card number, and with whatever a terminal
   * would obey, or nobody would see, spelled out. Null for no text, and for an empty one.
   *
   * @param type the answer's Content-Type and `encoding` its Content-Encoding, undefined where it has none.
   */
  text(type: string | undefined, encoding: string | undefined): string | null {
    if (this.length === 0 || (encoding !== undefined && encoding !== 'identity')) return null;
    if (type !== undefined && !TEXT.test(type)) return null;
    // A character that is cut in two at the end is left out.
    const decoded = new TextDecoder().decode(Buffer.concat(this.chunks), { stream: true });
    const masked = maskedDigits(decoded);
    if (containsCardNumber(masked)) return WITHHELD;
    return visible(masked).slice(0, MAX_BEGINNING_LENGTH).toWellFormed();
  }
}

const CONTROL_PICTURES = 0x2400;
const DELETE = 0x7f;

function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const codePoint = character.codePointAt(0) ?? 0;
    if (codePoint < 0x20) return String.fromCodePoint(CONTROL_PICTURES + codePoint);
    return codePoint === DELETE ? '\u2421' : `\\u{${codePoint.toString(16)}}`;
  });
}
