import * as fc from 'fast-check';
import {
  CARD_NUMBER_PATTERN,
  cardExpired,
  expiryTooFar,
  isCardNumber,
  luhnValid,
  maskCardNumber,
  securityCodeLength,
} from './card';
import { cardNumbers } from './testing/cards';

describe('luhnValid', () => {
  it.each(['4111111111111111', '4242424242424242', '378282246310005', '79927398713', '0', '00'])(
    'passes %s',
    (digits) => {
      expect(luhnValid(digits)).toBe(true);
    },
  );

  it.each([
    '4111111111111112',
    '79927398710',
    '1',
    '',
    ' ',
    '4111 1111 1111 1111',
    '４１１１１１１１１１１１１１１１',
    '-0',
  ])('refuses %j', (digits) => {
    expect(luhnValid(digits)).toBe(false);
  });

  it('passes exactly one of the ten possible check digits', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9]{1,30}$/), (payload) => {
        const valid = [...'0123456789'].filter((check) => luhnValid(payload + check));
        expect(valid).toHaveLength(1);
      }),
    );
  });
});

describe('isCardNumber', () => {
  it.each([
    ['Visa 16', '4111111111111111'],
    ['Visa 19', '4000000000000000006'],
    ['Mastercard 5', '5555555555554444'],
    ['Mastercard 2', '2223003122003222'],
    ['Mastercard, first of the 2 series', '2221000000000009'],
    ['Mastercard, last of the 2 series', '2720990000000007'],
    ['American Express', '378282246310005'],
    ['American Express 34', '343434343434343'],
    ['Discover', '6011111111111117'],
    ['Discover 65', '6500000000000002'],
    ['Diners Club 14', '30569309025904'],
    ['Diners Club 36', '36700102000000'],
    ['JCB', '3530111333300000'],
    ['UnionPay', '6200000000000005'],
    ['UnionPay 19', '6205500000000000004'],
    ['Maestro 16', '6759649826438453'],
    ['RuPay 81', '8100000000000002'],
    ['Troy', '9792030394440796'],
  ])('knows %s', (_name, digits) => {
    expect(isCardNumber(digits)).toBe(true);
  });

  it.each([
    ['a wrong check digit', '4111111111111112'],
    ['Visa at 14 digits', '41111111111116'],
    ['Visa at 13 digits, which is out of use', '4222222222222'],
    ['Maestro at 12 digits', '501800000009'],
    ['American Express at 16 digits', '3782822463100050'],
    ['just below the 2 series', '2220990000000003'],
    ['just above the 2 series', '2721000000000004'],
    ['an unissued first digit', '1111111111111117'],
    ['Maestro-like with 12 digits', '690000000009'],
    ['20 digits', '41111111111111111118'],
    ['a length of 48, as if counted modulo 32', '4' + '0'.repeat(46) + '2'],
    ['nothing', ''],
  ])('refuses %s', (_name, digits) => {
    expect(isCardNumber(digits)).toBe(false);
  });

  it('accepts what the generator of the other specs makes', () => {
    fc.assert(
      fc.property(cardNumbers, (digits) => {
        expect(digits).toMatch(CARD_NUMBER_PATTERN);
        expect(isCardNumber(digits)).toBe(true);
      }),
    );
  });
});

describe('maskCardNumber', () => {
  it.each([
    ['4111111111111111', '411111******1111'],
    ['378282246310005', '378282*****0005'],
    ['4000000000000000006', '400000*********0006'],
    ['30569309025904', '**********5904'],
    ['4222222222222', '*********2222'],
    ['501800000009', '********0009'],
    ['12345', '*2345'],
    ['1234', '****'],
    ['', ''],
  ])('masks %s as %s', (number, masked) => {
    expect(maskCardNumber(number)).toBe(masked);
  });

  it('keeps the length and never shows more than ten digits', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9]{0,25}$/), (number) => {
        const masked = maskCardNumber(number);
        expect(masked).toHaveLength(number.length);
        expect(masked.replaceAll('*', '').length).toBeLessThanOrEqual(number.length < 15 ? 4 : 10);
      }),
    );
  });
});

describe('cardExpired', () => {
  it.each([
    ['06', '2026', '2026-06-01T00:00:00.000Z', false],
    ['06', '2026', '2026-06-30T23:59:59.999Z', false],
    ['06', '2026', '2026-07-01T11:59:59.999Z', false], // still 30 June in UTC−12
    ['06', '2026', '2026-07-01T12:00:00.000Z', true],
    ['12', '2026', '2027-01-01T11:59:59.999Z', false],
    ['12', '2026', '2027-01-01T12:00:00.000Z', true],
    ['02', '2028', '2028-02-29T23:59:59.999Z', false],
    ['02', '2028', '2028-03-01T12:00:00.000Z', true],
    ['12', '2099', '2026-01-01T00:00:00.000Z', false],
    ['12', '9999', '2026-01-01T00:00:00.000Z', false],
    ['12', '0099', '2026-01-01T00:00:00.000Z', true],
  ])('%s/%s at %s: %s', (month, year, now, expired) => {
    expect(cardExpired(month, year, Date.parse(now))).toBe(expired);
  });

  it.each([
    ['00', '2030'],
    ['13', '2030'],
    ['1', '2030'],
    ['01', '30'],
    ['01', '20300'],
    ['', ''],
    ['０１', '2030'],
  ])('counts the malformed %j/%j as expired', (month, year) => {
    expect(cardExpired(month, year, Date.parse('2026-01-01T00:00:00Z'))).toBe(true);
  });

  it('counts an unknown time as too late', () => {
    expect(cardExpired('12', '2030', Number.NaN)).toBe(true);
  });
});

describe('expiryTooFar', () => {
  it.each([
    ['2046', '2026-11-28T00:00:00Z', false],
    ['2047', '2026-11-28T00:00:00Z', true],
    ['2047', '2026-12-31T09:59:59.999Z', true],
    ['2047', '2026-12-31T10:00:00Z', false], // 2027 has begun in UTC+14
    ['9999', '2026-11-28T00:00:00Z', true],
    ['2020', '2026-11-28T00:00:00Z', false],
  ])('%s at %s: %s', (year, now, isTooFar) => {
    expect(expiryTooFar(year, Date.parse(now))).toBe(isTooFar);
  });
});

describe('securityCodeLength', () => {
  it.each([
    ['378282246310005', 4],
    ['343434343434343', 4],
    ['4111111111111111', 3],
    ['36700102000000', 3],
    ['3528000000000007', 3],
    ['3782822463100050', 3],
  ])('of %s is %d', (number, length) => {
    expect(securityCodeLength(number)).toBe(length);
  });
});
