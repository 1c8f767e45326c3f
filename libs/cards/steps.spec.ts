import { propertyRuns } from '@app/platform/testing';
import * as fc from 'fast-check';
import { containsCardNumber, containsExactCardNumber, containsMaskedCardNumber } from './card-data-detection';
import type { Characters } from './digits';

/** A text that counts how often its characters are read. */
class Counted implements Characters {
  looks = 0;

  constructor(private readonly text: string) {}

  get length(): number {
    return this.text.length;
  }

  charCodeAt(index: number): number {
    this.looks += 1;
    return this.text.charCodeAt(index);
  }
}

/**
 * The most reads per character: to count digits, to find, decode and read what is encoded, and as part of what
 * surrounds it (45 characters from each letter that may start an IBAN, 12 before a GTIN).
 */
const LOOKS_PER_CHARACTER = 30;

const SCANS: readonly (readonly [string, (text: Characters) => boolean])[] = [
  ['any card number', (text) => containsCardNumber(text)],
  ["the request's own", (text) => containsExactCardNumber(text, '4111111111111112')],
  ["the payment's own", (text) => containsMaskedCardNumber(text, '411111******1112')],
  ["the payment's own, of which four digits are known", (text) => containsMaskedCardNumber(text, '**********2223')],
];

/** Pieces that trigger each part of a scan, mostly in vain. */
const pieces = fc.oneof(
  fc.constantFrom(
    '4',
    '0',
    '1',
    '41',
    '4111',
    '411111',
    '4111111111111112',
    '12345678901234',
    '36141411234567',
    '٤',
    '𝟿',
  ),
  fc.constantFrom(' ', '-', '.', '/', '\t', '  ', ' - ', '\u00a0', ',', '\n', '\u200b', '\ufe0f', '0.', '0,'),
  fc.constantFrom('DE89', 'DE89 ', 'LU28 4111 ', 'AB12 ', 'WEST ', 'gtin ', '(01)', 'EAN', 'a', 'é', '😀', '\ud83d'),
  fc.constantFrom('%', '%2', '%34', '%ff1', '%ff', '%e9x', '%25', '%2534', '%F0%9D', '%E2%80%8B', '%zz', '%%'),
  fc.string({ maxLength: 3 }),
);

describe.each(SCANS)('the search for %s', (_name, scan) => {
  const looksPerCharacter = (text: string) => {
    const counted = new Counted(text);
    scan(counted);
    return counted.looks / text.length;
  };

  it('looks at each character a fixed number of times, whatever repeats', () => {
    const repeated = fc.array(pieces, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(
        repeated.filter((unit) => unit !== ''),
        fc.integer({ min: 200, max: 5_000 }),
        (unit, length) => {
          const text = unit.repeat(Math.ceil(length / unit.length));
          expect(looksPerCharacter(text)).toBeLessThan(LOOKS_PER_CHARACTER);
        },
      ),
      { numRuns: propertyRuns(1_000) },
    );
  });

  it.each(
    [
      '4',
      '4 ',
      '0 ',
      '4111 ',
      '4111-',
      '4111111111111112 ',
      'AB12 ',
      'DE89 0532 ',
      '%ff1',
      '%e9x',
      '%25',
      '4\u200b',
    ].map((unit) => [unit] as const),
  )('does no more for a long text of %j than for short ones', (unit) => {
    const [short, long] = [looksPerCharacter(unit.repeat(500)), looksPerCharacter(unit.repeat(40_000))];
    expect(long).toBeLessThan(short * 1.1 + 0.1);
  });
});
