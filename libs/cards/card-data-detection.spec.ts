import * as fc from 'fast-check';
import { isCardNumber, luhnValid } from './card';
import { containsCardNumber } from './card-data-detection';
import { cardNumbers, withCheckDigit } from './testing/cards';
import { gtin, ORDINARY_NUMBERS, seeded } from './testing/ordinary-numbers';

const SCRIPTS = ['0123456789', '０１２３４５６７８９', '٠١٢٣٤٥٦٧٨٩', '०१२३४५६७८९', '𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗'] as const;
const SEPARATORS = [' ', '-', '.', '\u00a0', '–', '/', '\\', '|', '_', '+', '\t', ' - ', ' | ', '--'] as const;

/** The groups in which a card of this length shows its number. */
function groupsOf(number: string): readonly string[] {
  const sizes = number.length === 15 ? [4, 6, 5] : number.length === 14 ? [4, 6, 4] : [4, 4, 4, 4, 3];
  let start = 0;
  return sizes.map((size) => number.slice(start, (start += size))).filter((group) => group !== '');
}

/** A card number as somebody might write it. */
const written = fc
  .tuple(cardNumbers, fc.constantFrom('', ...SEPARATORS), fc.constantFrom(...SCRIPTS), fc.constantFrom('', '\u200b'))
  .map(([number, separator, script, invisible]) => {
    const text = groupsOf(number).join(separator);
    return text.replace(/\d/g, (digit) => [...script][Number(digit)]! + invisible);
  });
/** Any text whose start and end cannot become part of a number. */
const before = fc
  .string({ unit: 'grapheme' })
  .chain((text) => fc.constantFrom(' ', '', '12 ', '№', '#9-', 'a:', '„').map((end) => `${text}:${end}`));
const after = fc
  .string({ unit: 'grapheme' })
  .chain((text) => fc.constantFrom(' ', '', ' 12', '.', '. x', '-9/', ',12').map((start) => `${start}:${text}`));

describe('containsCardNumber', () => {
  it.each([
    '4111111111111111',
    '4111 1111 1111 1111',
    '4111-1111-1111-1111',
    '4111.1111.1111.1111',
    '4111 - 1111 - 1111 - 1111',
    '4111\u00a01111\u00a01111\u00a01111',
    '4111\u20111111\u20111111\u20111111',
    '3782 822463 10005',
    '3782 8224 6310 005',
    '3056 930902 5904',
    '30569309025904',
    '6205 5000 0000 0000 004',
    '620550 0000000000004',
    '5555-5555-5555-4444',
    'pay with 5555-5555-5555-4444, thanks',
    'order_4111111111111111',
    'mer-4111111111111111-x',
    'card no.4111111111111111.',
    '卡号4111111111111111到期',
    'qty 2 4111 1111 1111 1111 exp 12 2027',
    '4111 1111 1111 1111 1227 123',
    '2030 4111 1111 1111 1111',
    '2026-11-27 4111111111111111 2026-11-27',
    '1.2.4111111111111111',
    '5,4111111111111111,12,2030',
    '{"pan":"4111111111111111","cvv":"123"}',
    '４１１１１１１１１１１１１１１１',
    '٤١١١ ١١١١ ١١١١ ١١١١',
    '4111１１１１1111١١١١',
    '4111\u200b1111\u200d1111\u00ad1111',
    '4️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣',
    '99999999999999999999 4111111111111111',
    '\ud8004111111111111111\udc00',
    '4111\t1111\t1111\t1111',
    '2030/4111/1111/1111/1111/12',
    '4111 | 1111 | 1111 | 1111',
    '4111_1111_1111_1111',
    '3782/822463/10005',
    '3056\\930902\\5904',
    '4111+1111+1111+1111',
    '４１１１/１１１１/１１１１/１１１１',
    'https://shop.example/?c=4111%201111%201111%201111',
    'https://4111111111111111.shop.example/',
    'https://shop.example/#4111111111111111',
    '%34%31%31%31%31%31%31%31%31%31%31%31%31%31%31%31',
    '%D9%A4%D9%A1%D9%A1%D9%A1%D9%A1%D9%A1%D9%A1%D9%A1%D9%A1%D9%A1%D9%A1%D9%A1%D9%A1%D9%A1%D9%A1%D9%A1',
    '4111%25201111%25201111%25201111',
    '4111%A01111%A01111%A01111',
    '%2534%2531%2531%2531111111111111',
    '%3A4111111111111111',
    '550e8400-e29b-41d4-a716-446655440000-4111111111111111',
    'DE89 3704 0044 0532 0130 00 4111 1111 1111 1111',
    'LU66 4111 1111 1111 1111',
    'GTIN 4111111111111111',
    'ocean 36700102000000',
  ])('finds the number in %j', (text) => {
    expect(containsCardNumber(text)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['plain words', 'Two tickets for the late show, row 12, seats 4 and 5'],
    ['a wrong check digit', '4111 1111 1111 1112'],
    ['no scheme', '1111111111111117'],
    ['13 digits that begin like a Visa card', '4222222222222'],
    ['a longer run around it', '94111111111111111'],
    ['a run of 20 digits', '41111111111111111118'],
    ['a run of 32 digits', '41111111111111114111111111111111'],
    ['part of a word', 'INV4111111111111111 4111111111111111a b4111 1111 1111 1111'],
    ['single digits', '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1'],
    ['groups of no card', '41 11 11 11 11 11 11 11, 411 111 111 111 1111, 4111 111111111111, 41111111-11111111'],
    ['a masked number', '411111******1111'],
    ['four separators', '4111    1111    1111    1111'],
    ['line breaks', '4111\n1111\n1111\n1111'],
    ['letters between', '4111x1111x1111x1111'],
    ['separators of two kinds', '4111 1111-1111.1111, 4111/1111|1111/1111, 4111 -/ 1111 -/ 1111 -/ 1111'],
    ['phone numbers', '+49 30 901820, +1 (415) 555-0132, +44 20 7946 0958, +62 812-3456-7890'],
    ['international phone numbers', '00493012345678 / 6281234567890'],
    ['order numbers', 'order 2026-000123456 (ref 100200300400), PO 4500017425'],
    ['a decimal', '0.5309136012499991 and 0,5309136012499991 and 12.4111111111111111'],
    ['dates and times', '2026-11-27T23:59:59.999Z to 2026-12-01 00:00, 20261127235959'],
    ['milliseconds since 1970', '1795823999999'],
    ['UUIDs', '550e8400-e29b-41d4-a716-446655440000 6ba7b810-9dad-11d1-80b4-00c04fd430c8'],
    ['a UUID with a card number among its digits', '41111111-1111-4111-8111-111111111111'],
    ['IBANs', 'DE89370400440532013000 DE89 3704 0044 0532 0130 00, GB82 WEST 1234 5698 7654 32'],
    ['an IBAN with a card number among its groups', 'LU65 4111 1111 1111 1111'],
    ['a French IBAN', 'FR14 2004 1010 0505 0001 3M02 606'],
    ['our own ids', 'pay_01HZX3K8V7QW9E4R5T6Y7U8I9P txn_0123456789ABCDEFGHJKMNPQRS'],
    ['addresses and versions', '192.168.100.200 2001:db8::1 v24.21.0-2026.11'],
    ['product codes', 'EAN 4006381333931, ISBN 978-3-16-148410-0, GTIN-14 36141411234567'],
    ['a trace id', '4111111111111111abcdefabcdefabcd and 0AF7651916CD43DD8448EB211C80319C'],
    ['dates and columns', '30/05/2026 12/30/15, 4111\t2\t1111, 2030/4111/1111/1112/1111, 12/4111/11/11'],
    ['a broken percent sign', '100% 4111 %zz %4 1112'],
    ['amounts', '1,234,567.89 EUR and 999999999999.99 KWD'],
  ])('lets %s pass', (_name, text) => {
    expect(containsCardNumber(text)).toBe(false);
  });

  it('finds any card number, written in one run or in its groups, inside any text', () => {
    fc.assert(
      fc.property(before, written, after, (left, card, right) => {
        expect(containsCardNumber(left + card + right)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('finds any card number percent-encoded, once, twice and three times', () => {
    fc.assert(
      fc.property(written, fc.integer({ min: 1, max: 3 }), (card, times) => {
        let text = `x ${card}`.replaceAll(/\p{Nd}/gu, (digit) =>
          [...Buffer.from(digit)].map((byte) => `%${byte.toString(16)}`).join(''),
        );
        for (let time = 1; time < times; time += 1) text = encodeURIComponent(text);
        expect(containsCardNumber(text)).toBe(true);
      }),
    );
  });

  it('lets 16 digits pass unless they are a card number', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9]{16}$/), (digits) => {
        expect(containsCardNumber(`ref ${digits}.`)).toBe(isCardNumber(digits));
      }),
    );
  });

  it('lets a run of 20 and more digits pass', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9]{20,60}$/), (digits) => {
        expect(containsCardNumber(digits)).toBe(false);
      }),
    );
  });
});

describe('ordinary numbers', () => {
  const SAMPLES = 5_000;

  it.each(Object.entries(ORDINARY_NUMBERS))('%s are refused less than once in a thousand', (_kind, make) => {
    const { digits, pick } = seeded(20_261_128);
    const refused: string[] = [];
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      const text = make(digits, pick);
      if (containsCardNumber(text) || containsCardNumber(`Ref. ${text}, see above`)) refused.push(text);
    }
    expect(refused.slice(0, Math.max(0, refused.length - (SAMPLES / 1_000 - 1)))).toEqual([]);
  });

  it('are told from GTIN-14 by the place, or by what they are called', () => {
    const { digits } = seeded(14);
    let likeDiners = 0;
    const wrong: string[] = [];
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      const number = gtin(`36${digits(11)}`);
      const isOne = luhnValid(number);
      if (isOne) likeDiners += 1;
      const judged = [
        containsCardNumber(number, { isForArticles: true }),
        containsCardNumber(`gtin\n${number}`),
        containsCardNumber(number),
      ];
      if (judged.join() !== [false, false, isOne].join()) wrong.push(number);
    }
    expect(wrong).toEqual([]);
    expect(likeDiners).toBeGreaterThan(SAMPLES / 20);
    // Not a GTIN by its check digit, so it is a Diners Club number in any field.
    expect(containsCardNumber('36700102000000', { isForArticles: true })).toBe(true);
    expect(containsCardNumber(withCheckDigit('411111111111111'), { isForArticles: true })).toBe(true);
  });
});
