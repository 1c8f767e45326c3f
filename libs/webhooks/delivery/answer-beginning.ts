import { containsCardNumber } from '@app/cards';
import { maskedDigits } from '@app/platform/telemetry';

/** The most characters of a response that are shown. */
export const MAX_BEGINNING_LENGTH = 1_000;
/**
 * Reads beyond the shown part, so that a digit sequence that continues after it is still recognised as a card number.
 */
const BYTES_LOOKED_AT = 4 * MAX_BEGINNING_LENGTH + 128;

const TEXT = /^(text\/|application\/([^;]*\+)?(json|xml)\b)/i;
/** A card's groups can be separated by an HTML entity, or by an escape of JSON or JavaScript. */
const ENCODED_CHARACTER = /&#?\w{1,8};|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}/gi;
const WITHHELD = '(withheld: it holds a card number)';

/** Collects the first bytes of a response, up to the limit. */
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
   * The beginning as it may be stored and shown: text only, without possible card numbers, and with terminal control
   * and invisible characters escaped. Null if the response is no text or empty.
   *
   * @param type the response's Content-Type, and `encoding` its Content-Encoding; undefined if absent.
   */
  text(type: string | undefined, encoding: string | undefined): string | null {
    if (this.length === 0 || (encoding !== undefined && encoding !== 'identity')) return null;
    if (type !== undefined && !TEXT.test(type)) return null;
    // Streaming mode drops a character that is cut off at the end.
    const decoded = new TextDecoder().decode(Buffer.concat(this.chunks), { stream: true });
    const masked = maskedDigits(decoded);
    if ([masked, masked.replace(ENCODED_CHARACTER, ' ')].some((text) => containsCardNumber(text))) return WITHHELD;
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
