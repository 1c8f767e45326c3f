import * as fc from 'fast-check';
import { isCardNumber, maskCardNumber } from './card';
import { containsCardNumber, containsExactCardNumber, containsMaskedCardNumber } from './card-data-detection';
import { cardNumbers } from '../testing/cards';

const separators = fc.constantFrom('', '', '', ' ', '-', '.', ' - ', '. ', '\u00a0', '–', '\u200b');
const scripts = fc.constantFrom('0123456789', '０１２３４５６７８９', '٠١٢٣٤٥٦٧٨٩', '०१२३४५६७८९', '𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗');
/** A card number as somebody might write it. */
const written = fc
  .tuple(cardNumbers, fc.array(separators, { minLength: 18, maxLength: 18 }), scripts)
  .map(([number, between, script]) => {
    const digits = [...script];
    const text = [...number].map(
      (digit, index) => (index === 0 ? '' : (between[index - 1] ?? '')) + digits[Number(digit)],
    );
    return { number, text: text.join('') };
  });
/** Any text, but with no digit touching its end or beginning. */
const before = fc
  .string({ unit: 'grapheme' })
  .chain((text) => fc.constantFrom('x', ' ', '', '12 ', '№', '#9-').map((end) => `${text}:${end}`));
const after = fc
  .string({ unit: 'grapheme' })
  .chain((text) => fc.constantFrom('x', ' ', '', ' 12', '.', '-9/').map((start) => `${start}:${text}`));

describe('containsCardNumber', () => {
  it.each([
    '4111111111111111',
    '4111 1111 1111 1111',
    '4111-1111-1111-1111',
    '4111.1111.1111.1111',
    '4111 1111-1111.1111',
    '4111 - 1111 - 1111 - 1111',
    '4111\u00a01111\u20111111\u20131111',
    '3782 822463 10005',
    '3056 930902 5904',
    '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1',
    'card4111111111111111please',
    'pay with 5555-5555-5555-4444, thanks',
    'qty 2 4111 1111 1111 1111 exp 12 2027',
    '2026-11-27 4111111111111111 2026-11-27',
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
    '%34%31%31%31%31%31%31%31%31%31%31%31%31%31%31%31',
    '4111%25201111%25201111%25201111',
    '%2534%2531%2531%2531111111111111',
    '4111%ff%201111%201111%201111 4111%2D1111%2D1111%2D1111',
    '550e8400-e29b-41d4-a716-446655440000-4111111111111111',
    '41111111-1111-1111-1111-111111111111 4111111111111111',
  ])('finds the number in %j', (text) => {
    expect(containsCardNumber(text)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['plain words', 'Two tickets for the late show, row 12, seats 4 and 5'],
    ['a wrong check digit', '4111 1111 1111 1112'],
    ['no scheme', '1111111111111117'],
    ['a longer run around it', '94111111111111111'],
    ['a run of 20 digits', '41111111111111111118'],
    ['a run of 32 digits', '41111111111111114111111111111111'],
    ['a masked number', '411111******1111'],
    ['four separators', '4111    1111    1111    1111'],
    ['line breaks', '4111\n1111\n1111\n1111'],
    ['letters between', '4111x1111x1111x1111'],
    ['phone numbers', '+49 30 901820, +1 (415) 555-0132, +44 20 7946 0958, +62 812-3456-7890'],
    ['international phone numbers', '00493012345678 / 6281234567890'],
    ['order numbers', 'order 2026-000123456 (ref 100200300400), PO 4500017425'],
    ['dates and times', '2026-11-27T23:59:59.999Z to 2026-12-01 00:00, 20261127235959'],
    ['milliseconds since 1970', '1795823999999'],
    ['UUIDs', '550e8400-e29b-41d4-a716-446655440000 6ba7b810-9dad-11d1-80b4-00c04fd430c8'],
    ['IBANs', 'DE89370400440532013000 DE89 3704 0044 0532 0130 00, GB82 WEST 1234 5698 7654 32'],
    ['a French IBAN', 'FR14 2004 1010 0505 0001 3M02 606'],
    ['our own ids', 'pay_01HZX3K8V7QW9E4R5T6Y7U8I9P txn_0123456789ABCDEFGHJKMNPQRS'],
    ['addresses and versions', '192.168.100.200 2001:db8::1 v24.21.0-2026.11'],
    ['a product code', 'EAN 4006381333931, ISBN 978-3-16-148410-0'],
    ['UUIDs with a card number among their digits', 'a4111111-1111-4111-8111-111111111111'],
    ['a trace id', '4111111111111111abcdefabcdefabcd and 0AF7651916CD43DD8448EB211C80319C'],
    ['dates and columns', '30/05/2026 12/30/15, 4111\t2\t1111, 2030/4111/1111/1112/1111, 12/4111/11/11'],
    ['groups parted by other than one sign', '4111/1111|1111/1111'],
    ['a broken percent sign', '100% 4111 %zz %4 1112'],
    ['amounts', '1,234,567.89 EUR and 999999999999.99 KWD'],
  ])('lets %s pass', (_name, text) => {
    expect(containsCardNumber(text)).toBe(false);
  });

  it('finds any card number, however written, inside any text', () => {
    fc.assert(
      fc.property(before, written, after, (left, card, right) => {
        expect(containsCardNumber(left + card.text + right)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('lets 16 digits pass unless they are a card number', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9]{16}$/), (digits) => {
        expect(containsCardNumber(`ref ${digits}.`)).toBe(isCardNumber(digits));
      }),
    );
  });

  it('lets UUIDs and digests pass, whatever their digits', () => {
    const hex = fc.constantFrom(...'01234567890123456789abcdef');
    const digits = (length: number) => fc.string({ unit: hex, minLength: length, maxLength: length });
    const uuid = fc
      .tuple(digits(8), digits(4), digits(3), digits(3), fc.constantFrom('8', '9', 'a', 'b'), digits(11))
      .map(([a, b, c, d, variant, e]) => `${a}-${b}-4${c}-${variant}${d}-${e}f`);
    fc.assert(
      fc.property(fc.oneof(uuid, digits(32), digits(64)), fc.boolean(), (id, upper) => {
        expect(containsCardNumber(`req:${upper ? id.toUpperCase() : id}`)).toBe(false);
      }),
      { numRuns: 1_000 },
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

describe('containsExactCardNumber', () => {
  const number = '4111111111111111';

  it.each([
    '4111111111111111',
    '94111111111111111',
    '4111x1111x1111x1111',
    '4111\n1111\n1111\n1111',
    '4111 / 1111 / 1111 / 1111',
    '4111____1111____1111____1111',
    '４１１１１１１１１１１１١١١١',
    'https://shop.example/return?c=4111%201111%201111%201111',
    'https://shop.example/%34%31%31%31%31%31%31%31%31%31%31%31%31%31%31%31',
    'https://shop.example/?next=%2Fx%3Fc%3D4111%25201111%25201111%25201111',
    '41a11%E2%80%8B1111%ff1111%c31111',
  ])("finds the request's number in %j", (text) => {
    expect(containsExactCardNumber(text, number)).toBe(true);
  });

  it.each(['', '411111111111111', '411111******1111', '4111111111111112', '1111111111111114'])(
    'lets %j pass',
    (text) => {
      expect(containsExactCardNumber(text, number)).toBe(false);
    },
  );

  it.each(['', '1', '41111111111', '4111 1111 1111 1111', '４１１１１１１１１１１１１１１１', '4'.repeat(20)])(
    'never finds the malformed number %j',
    (malformed) => {
      expect(containsExactCardNumber(`${malformed} 4111111111111111 1`, malformed)).toBe(false);
    },
  );

  it('finds any number, whatever non-digits stand between', () => {
    const nonDigits = fc.string({ unit: 'grapheme', maxLength: 3 }).map((text) => text.replaceAll(/\p{Nd}/gu, ''));
    fc.assert(
      fc.property(cardNumbers, fc.array(nonDigits, { minLength: 18, maxLength: 18 }), (card, between) => {
        const text = [...card].map((digit, index) => digit + (between[index] ?? '')).join('');
        expect(containsExactCardNumber(text, card)).toBe(true);
      }),
    );
  });
});

describe('containsMaskedCardNumber', () => {
  it.each([
    ['4111111111111111', '4111111111111111'],
    ['4111111111111111', 'to 4111-1111-1111-1111, please'],
    ['4111111111111111', 'ref4111x1111x1111x1111/7'],
    ['4111111111111111', 'https://shop.example/?c=4111%2011%311%201111%201111'],
    ['378282246310005', '99378282246310005'],
    ['4222222222222', 'card 4222222222222'],
  ])('finds %s by its mask in %j', (number, text) => {
    expect(containsMaskedCardNumber(text, maskCardNumber(number))).toBe(true);
  });

  it.each([
    ['4111111111111111', ''],
    ['4111111111111111', '411111******1111'],
    ['4111111111111111', '4111110000001111'],
    ['4111111111111111', '4242424242424242'],
    ['4222222222222', '1000000002222'],
    ['1234', '12341234'],
  ])('by the mask of %s lets %j pass', (number, text) => {
    expect(containsMaskedCardNumber(text, maskCardNumber(number))).toBe(false);
  });

  it('finds any number by its mask, whatever stands around it', () => {
    fc.assert(
      fc.property(cardNumbers, fc.string(), fc.string(), (number, left, right) => {
        fc.pre(isCardNumber(number) || number.length >= 15);
        expect(containsMaskedCardNumber(`${left}${number}${right}`, maskCardNumber(number))).toBe(true);
      }),
    );
  });
});

describe('hostile input of 256 KiB', () => {
  // What a quadratic search would need minutes for; the runner's time-out is the judge.
  const size = 256 * 1024;
  it.each([
    ['one run of digits', '4'.repeat(size)],
    ['single digits', '4 '.repeat(size / 2)],
    ['zeros, so that every sum is right', '0 '.repeat(size / 2)],
    ['groups of four', '4000 '.repeat(size / 5)],
    ['almost a card again and again', '4111111111111112 '.repeat(size / 17)],
    ['separators', ' -.'.repeat(size / 3)],
    ['digits between invisible characters', '9\u200b'.repeat(size / 2)],
    ['the longest row of digits in Unicode', '𝟿'.repeat(size / 4)],
    ['percent signs', '%'.repeat(size)],
    ['encoded percent signs', '%25'.repeat(size / 3)],
    ['encoded bytes that are no UTF-8', '%ff'.repeat(size / 3)],
    ['hexadecimal digits', 'a1'.repeat(size / 2)],
    ['beginnings of UUIDs', '550e8400-'.repeat(size / 9)],
    ['groups parted by slashes', '4111/'.repeat(size / 5)],
    ['lone surrogates', '\ud835'.repeat(size / 2)],
  ])('is judged without delay: %s', (_name, text) => {
    expect(typeof containsCardNumber(text)).toBe('boolean');
    expect(containsExactCardNumber(text, '4111111111111111')).toBe(false);
    expect(containsMaskedCardNumber(text, '411111******1111')).toBe(false);
    expect(typeof containsMaskedCardNumber(text, '*********2222')).toBe('boolean');
  });
});
