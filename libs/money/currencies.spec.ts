import { CURRENCIES, findCurrency } from './currencies';

describe('the ISO 4217 table', () => {
  it('has 165 currencies with unique codes and numbers, in order', () => {
    const codes = CURRENCIES.map((entry) => entry.code);
    expect(CURRENCIES).toHaveLength(165);
    expect(new Set(codes).size).toBe(165);
    expect(new Set(CURRENCIES.map((entry) => entry.numericCode)).size).toBe(165);
    expect(codes).toEqual([...codes].sort());
  });

  it('has well-formed rows, frozen as a whole', () => {
    expect(Object.isFrozen(CURRENCIES)).toBe(true);
    for (const entry of CURRENCIES) {
      expect(entry.code).toMatch(/^[A-Z]{3}$/);
      expect(entry.numericCode).toMatch(/^[0-9]{3}$/);
      expect([0, 2, 3, 4]).toContain(entry.exponent);
      expect(Object.isFrozen(entry)).toBe(true);
    }
  });

  it.each([
    [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
    [3, 'BHD IQD JOD KWD LYD OMR TND'],
    [4, 'CLF UYW'],
  ])('gives exponent %i to exactly %s', (exponent, codes) => {
    const found = CURRENCIES.filter((entry) => entry.exponent === exponent).map((entry) => entry.code);
    expect(found).toEqual(codes.split(' '));
  });

  it.each(['EUR', 'USD', 'IDR', 'MGA', 'MRU', 'HUF', 'TWD', 'SLE', 'VED', 'VES', 'XCG', 'ZWG', 'STN', 'BYN'])(
    '%s has two decimals',
    (code) => {
      expect(findCurrency(code)?.exponent).toBe(2);
    },
  );

  it.each([
    ['EUR', '978'],
    ['USD', '840'],
    ['JPY', '392'],
    ['GBP', '826'],
    ['ALL', '008'],
    ['AMD', '051'],
    ['KWD', '414'],
    ['CLF', '990'],
    ['XCG', '532'],
    ['ZWG', '924'],
    ['SLE', '925'],
    ['VED', '926'],
  ])('%s is number %s', (code, numericCode) => {
    expect(findCurrency(code)?.numericCode).toBe(numericCode);
  });

  it.each(['ANG', 'BGN', 'HRK', 'CUC', 'SLL', 'ZWL', 'MRO', 'STD', 'VEF', 'BYR', 'DEM', 'LTL'])(
    'no longer has the withdrawn %s',
    (code) => {
      expect(findCurrency(code)).toBeUndefined();
    },
  );

  it.each(['XXX', 'XTS', 'XAU', 'XAG', 'XPT', 'XPD', 'XDR', 'XSU', 'XUA', 'XBA', 'XBB', 'XBC', 'XBD'])(
    'does not count %s as money',
    (code) => {
      expect(findCurrency(code)).toBeUndefined();
    },
  );

  it.each(['eur', 'Eur', '', 'EU', 'EURO', ' EUR', 'EUR\n', '978', 'constructor', '__proto__', 'toString', 'ΕUR'])(
    'does not know %j',
    (code) => {
      expect(findCurrency(code)).toBeUndefined();
    },
  );
});
