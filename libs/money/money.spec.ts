import * as fc from 'fast-check';
import { CURRENCIES } from './currencies';
import {
  AMOUNT_MAX_LENGTH,
  AMOUNT_PATTERN,
  currencyExponent,
  formatAmount,
  isCurrency,
  parseAmount,
  toAmount,
} from './money';
import type { Currency } from './money';

function currency(code: string): Currency {
  if (!isCurrency(code)) throw new Error(`test uses an unknown currency: ${code}`);
  return code;
}

const anyCurrency = fc.constantFrom(...CURRENCIES.map((entry) => currency(entry.code)));
const refused = { ok: false, reason: 'INVALID_AMOUNT' };

describe('isCurrency', () => {
  it('accepts the table and nothing else', () => {
    expect(CURRENCIES.every((entry) => isCurrency(entry.code))).toBe(true);
    for (const other of ['eur', 'XXX', 'constructor', '', undefined, null, 978, ['EUR']]) {
      expect(isCurrency(other)).toBe(false);
    }
  });
});

describe('currencyExponent', () => {
  it('treats an unknown code as a bug', () => {
    expect(currencyExponent(currency('CLF'))).toBe(4);
    expect(() => currencyExponent('XXX' as Currency)).toThrow('not an accepted ISO 4217 currency: "XXX"');
  });
});

describe('parseAmount', () => {
  it.each([
    ['1', 'JPY', 1n],
    ['999999999999', 'JPY', 999_999_999_999n],
    ['0.01', 'EUR', 1n],
    ['0.1', 'EUR', 10n],
    ['1', 'EUR', 100n],
    ['12.5', 'EUR', 1250n],
    ['12.50', 'EUR', 1250n],
    ['999999999999.99', 'EUR', 99_999_999_999_999n],
    ['0.001', 'KWD', 1n],
    ['999999999999.999', 'KWD', 999_999_999_999_999n],
    ['0.0001', 'CLF', 1n],
    ['999999999999.9999', 'CLF', 9_999_999_999_999_999n],
    ['14000', 'IDR', 1_400_000n],
  ])('reads %s %s as %s minor units', (value, code, amountMinor) => {
    expect(parseAmount(value, currency(code))).toEqual({ ok: true, amountMinor });
  });

  it.each([
    ['1.0', 'JPY'],
    ['1.', 'JPY'],
    ['1.001', 'EUR'],
    ['1.000', 'EUR'],
    ['1.0000', 'KWD'],
    ['1.00000', 'CLF'],
    ['1000000000000', 'JPY'],
    ['1000000000000.00', 'EUR'],
    ['1'.repeat(100_000), 'EUR'],
    [`1.${'0'.repeat(100_000)}`, 'EUR'],
  ])('refuses too long an amount (%# %s)', (value, code) => {
    expect(parseAmount(value, currency(code))).toEqual(refused);
  });

  it.each([
    '',
    ' ',
    '.',
    '.5',
    '5.',
    '-0',
    '-1',
    '+1',
    '01',
    '00',
    '00.10',
    '1e3',
    '1E3',
    '0x10',
    '1_000',
    '1,50',
    '1,000.00',
    '1.5.0',
    ' 1',
    '1 ',
    '1\n',
    '\n1',
    '1\u0000',
    '1n',
    'NaN',
    'Infinity',
    '1.-1',
    '１',
    '١٢',
    '1.٥',
    '一',
    '$1',
    'EUR 1',
  ])('refuses the form %j', (value) => {
    expect(parseAmount(value, currency('EUR'))).toEqual(refused);
    expect(parseAmount(value, currency('EUR'), { allowZero: true })).toEqual(refused);
  });

  it.each([
    ['0', 'JPY'],
    ['0', 'EUR'],
    ['0.0', 'EUR'],
    ['0.00', 'EUR'],
    ['0.000', 'KWD'],
    ['0.0000', 'CLF'],
  ])('takes zero (%s %s) only where it is allowed', (value, code) => {
    expect(parseAmount(value, currency(code))).toEqual(refused);
    expect(parseAmount(value, currency(code), { allowZero: true })).toEqual({ ok: true, amountMinor: 0n });
  });

  it('never accepts what the published pattern refuses, nor anything longer than the published length', () => {
    const nearAmount = fc.string({ unit: fc.constantFrom(...'0123456789.-+e ٣'), maxLength: 24 });
    fc.assert(
      fc.property(nearAmount, anyCurrency, (value, code) => {
        if (parseAmount(value, code, { allowZero: true }).ok) {
          expect(value).toMatch(AMOUNT_PATTERN);
          expect(value.length).toBeLessThanOrEqual(AMOUNT_MAX_LENGTH);
        }
      }),
    );
  });
});

describe('formatAmount', () => {
  it.each([
    [0n, 'JPY', '0'],
    [5n, 'JPY', '5'],
    [0n, 'EUR', '0.00'],
    [5n, 'EUR', '0.05'],
    [100n, 'EUR', '1.00'],
    [99_999_999_999_999n, 'EUR', '999999999999.99'],
    [5n, 'KWD', '0.005'],
    [1000n, 'KWD', '1.000'],
    [5n, 'CLF', '0.0005'],
    [12_345n, 'CLF', '1.2345'],
    [-5n, 'EUR', '-0.05'],
    [-1250n, 'EUR', '-12.50'],
    [-7n, 'JPY', '-7'],
    [10n ** 30n, 'EUR', `1${'0'.repeat(28)}.00`],
  ])('writes %s minor units of %s as %s', (amountMinor, code, text) => {
    expect(formatAmount(amountMinor, currency(code))).toBe(text);
    expect(toAmount({ amountMinor, currency: currency(code) })).toEqual({ value: text, currency: code });
  });

  it('carries exactly the digits of the exponent, and parses back to the same integer', () => {
    fc.assert(
      fc.property(
        anyCurrency,
        fc.bigInt({ min: 1n, max: 999_999_999_999n }),
        fc.bigInt({ min: 0n, max: 9999n }),
        (code, units, minor) => {
          const exponent = currencyExponent(code);
          const scale = 10n ** BigInt(exponent);
          const amountMinor = units * scale + (minor % scale);
          const text = formatAmount(amountMinor, code);
          expect(text.split('.')[1]?.length ?? 0).toBe(exponent);
          expect(parseAmount(text, code)).toEqual({ ok: true, amountMinor });
        },
      ),
    );
  });

  it('writes back every amount it can read, padded to the exponent', () => {
    fc.assert(
      fc.property(anyCurrency, fc.stringMatching(/^(0|[1-9][0-9]{0,11})(\.[0-9]{1,4})?$/), (code, value) => {
        const parsed = parseAmount(value, code, { allowZero: true });
        if (!parsed.ok) {
          expect(value.split('.')[1]?.length ?? 0).toBeGreaterThan(currencyExponent(code));
          return;
        }
        const written = formatAmount(parsed.amountMinor, code);
        expect(written.startsWith(value)).toBe(true);
        expect(written.slice(value.length)).toMatch(/^\.?0*$/);
      }),
    );
  });
});
