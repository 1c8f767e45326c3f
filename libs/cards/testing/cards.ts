/** Card numbers for property tests: random, but Luhn-valid with a scheme's prefix and length. */
import * as fc from 'fast-check';
import { luhnValid } from '../card';

const SCHEMES: readonly (readonly [prefix: string, length: number])[] = [
  ['4', 16],
  ['4', 19],
  ['51', 16],
  ['55', 16],
  ['2221', 16],
  ['2720', 16],
  ['34', 15],
  ['37', 15],
  ['6011', 16],
  ['644', 16],
  ['65', 19],
  ['300', 14],
  ['305', 16],
  ['36', 14],
  ['38', 19],
  ['39', 14],
  ['3528', 16],
  ['3589', 19],
  ['62', 16],
  ['62', 18],
  ['2200', 16],
  ['50', 16],
  ['58', 18],
  ['6759', 16],
  ['5018', 18],
  ['81', 16],
  ['9792', 16],
  ['6304', 19],
];

export function withCheckDigit(payload: string): string {
  const check = [...'0123456789'].find((digit) => luhnValid(payload + digit));
  if (check === undefined) throw new Error('a payload of digits always has a check digit');
  return payload + check;
}

export const cardNumbers: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom(...SCHEMES), fc.stringMatching(/^[0-9]{19}$/))
  .map(([[prefix, length], filler]) => withCheckDigit((prefix + filler).slice(0, length - 1)));
