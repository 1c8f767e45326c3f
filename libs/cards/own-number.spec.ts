import * as fc from 'fast-check';
import { isCardNumber, maskCardNumber } from './card';
import { containsExactCardNumber, containsMaskedCardNumber } from './card-data-detection';
import { cardNumbers } from './testing/cards';

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
