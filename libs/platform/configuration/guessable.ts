/** Estimates the randomness of a configured secret. Obvious patterns count little. */

/**
 * Common words, and runs of the keyboard and the alphabet, in both directions. A copied run of three or more characters
 * counts as one.
 */
const TYPED = [
  'abcdefghijklmnopqrstuvwxyz 01234567890123456789 qwertyuiop asdfghjkl zxcvbnm qwertzuiop yxcvbnm azerty',
  'password passw0rd secret changeme change-me changeit letmein example default placeholder replace-me insert',
  'counterfoil operator merchant gateway master token admin redis eventstore kurrentdb production welcome',
].join(' ');
const KNOWN_TEXT = `${TYPED} ${[...TYPED].reverse().join('')}`;
const BYTES = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).join('');
const KNOWN_BYTES = BYTES + [...BYTES].reverse().join('');
const SHORTEST_RUN = 3;

/** An upper bound of the text's randomness, in bits; a text that was not chosen at random has less. */
export function bitsOfText(text: string): number {
  return surprises(text.toLowerCase(), KNOWN_TEXT) * Math.log2(alphabetSize(text));
}

/** The same for bytes; typed text counts as 0. */
export function bitsOfBytes(bytes: Uint8Array): number {
  const text = Buffer.from(bytes).toString('latin1');
  const isTyped = /^[\x20-\x7e\n]*$/.test(text);
  return isTyped ? 0 : surprises(text, KNOWN_BYTES) * 8;
}

/**
 * The number of pieces that the text divides into, each a single character or a copy of what precedes it in `known` or
 * in the text.
 */
function surprises(text: string, known: string): number {
  const whole = known + text;
  let pieces = 0;
  for (let at = known.length; at < whole.length; pieces += 1) {
    let length = 1;
    while (at + length < whole.length && whole.slice(0, at + length).includes(whole.slice(at, at + length + 1))) {
      length += 1;
    }
    at += length >= SHORTEST_RUN ? length : 1;
  }
  return pieces;
}

function alphabetSize(text: string): number {
  if (/^[0-9]+$/.test(text)) return 10;
  if (/^[0-9a-f]+$/i.test(text)) return 16;
  if (/^([a-z]+|[A-Z]+)$/.test(text)) return 26;
  if (/^([a-z0-9]+|[A-Z0-9]+)$/.test(text)) return 36;
  return /^[A-Za-z0-9]+$/.test(text) ? 62 : 94;
}
