/** Crockford's alphabet: without I, L, O and U, which are easily misread. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * The first `length` × 5 bits of `bytes`, most significant first, as `length` upper-case Crockford base32 characters
 * (17 or more bytes give 26). Sorts like the bytes. No check character, no padding.
 *
 * @throws RangeError when there are too few bytes: an identifier must not be padded with zero bits.
 */
export function encodeBase32(bytes: Uint8Array, length: number): string {
  if (length * 5 > bytes.length * 8) {
    throw new RangeError(`${bytes.length} bytes are too few for ${length} base32 characters`);
  }
  let text = '';
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 5 && text.length < length) {
      bits -= 5;
      text += ALPHABET.charAt((buffer >>> bits) & 31);
    }
    if (text.length === length) break;
    buffer &= (1 << bits) - 1;
  }
  return text;
}

/** The 128 bits of a UUID as 26 characters, with two leading zero bits. Sorts like the UUIDs' text. */
export function uuidToBase32(uuid: string): string {
  let rest = BigInt(`0x${uuid.replaceAll('-', '')}`);
  let text = '';
  for (let index = 0; index < 26; index += 1) {
    text = ALPHABET.charAt(Number(rest & 31n)) + text;
    rest >>= 5n;
  }
  return text;
}
