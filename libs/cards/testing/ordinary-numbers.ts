/**
 * Numbers that are not card numbers, as people write them. The generator is seeded, so that hit rates can be measured.
 */

export type Digits = (count: number) => string;
type Maker = (digits: Digits, pick: <T>(values: readonly T[]) => T) => string;

/** The same digits for the same seed: splitmix32. */
export function seeded(seed: number): { digits: Digits; pick: <T>(values: readonly T[]) => T } {
  let state = seed | 0;
  const below = (limit: number) => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) % limit;
  };
  return {
    digits: (count) => Array.from({ length: count }, () => below(10)).join(''),
    pick: (values) => values[below(values.length)]!,
  };
}

const groupsOf = (size: number, text: string, separator = ' ') =>
  (text.match(new RegExp(`.{1,${size}}`, 'g')) ?? []).join(separator);

/** Appends the GS1 check digit. */
export function gtin(payload: string): string {
  const sum = [...payload]
    .reverse()
    .reduce((total, digit, place) => total + Number(digit) * (place % 2 === 0 ? 3 : 1), 0);
  return payload + String((10 - (sum % 10)) % 10);
}

/** Adds the check digits of ISO 7064. */
export function iban(country: string, account: string): string {
  const numeral = [...`${account}${country}00`].map((character) => Number.parseInt(character, 36)).join('');
  return `${country}${String(98n - (BigInt(numeral) % 97n)).padStart(2, '0')}${account}`;
}

const GERMAN_MOBILE = [
  '151',
  '152',
  '157',
  '160',
  '162',
  '163',
  '170',
  '171',
  '172',
  '173',
  '175',
  '176',
  '177',
  '178',
];

/** Country codes with the longest national numbers. */
const COUNTRIES: readonly (readonly [string, number])[] = [
  ['1', 10],
  ['30', 10],
  ['34', 9],
  ['36', 9],
  ['370', 8],
  ['380', 9],
  ['385', 9],
  ['39', 11],
  ['43', 13],
  ['44', 10],
  ['49', 11],
  ['501', 7],
  ['55', 11],
  ['62', 12],
  ['63', 10],
  ['65', 8],
  ['675', 8],
  ['86', 11],
  ['91', 10],
];

function ibanOf(digits: Digits, pick: <T>(values: readonly T[]) => T): string {
  return pick([
    () => iban('DE', digits(18)),
    () => iban('AT', digits(16)),
    () => iban('CH', digits(17)),
    () => iban('LU', digits(16)),
    () => iban('ES', digits(20)),
    () => iban('PL', digits(24)),
    () => iban('DK', digits(14)),
    () => iban('BE', digits(12)),
    () => iban('GB', `NWBK${digits(14)}`),
    () => iban('NL', `ABNA${digits(10)}`),
    () => iban('FR', `${digits(20)}M${digits(2)}`),
  ])();
}

/** By kind. */
export const ORDINARY_NUMBERS: Readonly<Record<string, Maker>> = {
  'German mobile numbers': (digits, pick) => {
    const [area, number] = [pick(GERMAN_MOBILE), digits(pick([7, 8]))];
    return pick([
      `+49${area}${number}`,
      `0049${area}${number}`,
      `49${area}${number}`,
      `0${area}${number}`,
      `0${area}/${number}`,
      `+49 ${area} ${number}`,
      `+49 (0) ${area} ${groupsOf(4, number)}`,
      `0${area} ${groupsOf(4, number)}`,
      `+49-${area}-${number}`,
      `+49 ${groupsOf(3, area + number)}`,
    ]);
  },
  'German landline numbers': (digits, pick) => {
    const [area, number] = [pick(['30', '40', '89', '431', '4921', '3641']), digits(pick([6, 7, 8]))];
    return pick([
      `+49${area}${number}`,
      `0049 ${area} ${number}`,
      `0${area}-${number}`,
      `49 ${area} ${groupsOf(2, number)}`,
    ]);
  },
  'international numbers': (digits, pick) => {
    const [country, length] = pick(COUNTRIES);
    const number = digits(length);
    const text = pick([number, ` ${number}`, ` ${groupsOf(3, number)}`, `-${groupsOf(4, number, '-')}`]);
    return pick(['+', '00', '']) + country + text;
  },
  'numbers of the US': (digits, pick) =>
    pick([`+1 (${digits(3)}) ${digits(3)}-${digits(4)}`, `1-${digits(3)}-${digits(3)}-${digits(4)}`, `1${digits(10)}`]),
  'numbers of the UK': (digits, pick) =>
    pick([`+44 7${digits(3)} ${digits(6)}`, `07${digits(9)}`, `0044 20 ${digits(4)} ${digits(4)}`]),
  'numbers of India': (digits, pick) =>
    pick([`+91 9${digits(4)} ${digits(5)}`, `919${digits(9)}`, `0091-9${digits(9)}`]),
  'numbers of Indonesia': (digits, pick) =>
    pick([`+62 8${digits(2)}-${digits(4)}-${digits(4)}`, `628${digits(pick([8, 9, 10, 11]))}`]),
  'numbers of China': (digits, pick) =>
    pick([`+86 13${digits(1)} ${digits(4)} ${digits(4)}`, `8613${digits(9)}`, `13${digits(9)}`]),
  'EAN-13': (digits, pick) => gtin((pick(['4', '40', '50', '5018', '62', '97', '']) + digits(12)).slice(0, 12)),
  'EAN-8 and UPC': (digits, pick) => pick([gtin(digits(7)), gtin(digits(11)), `EAN ${gtin(`4${digits(11)}`)}`]),
  'GTIN-14 that are called so': (digits, pick) => {
    const number = gtin((pick(['3', '36', '38', '30', '']) + digits(13)).slice(0, 13));
    return pick([`GTIN ${number}`, `gtin: ${number}`, `EAN-14 ${number}`, `(01)${number}`, `UPC#${number}`]);
  },
  'IBANs in one run': (digits, pick) => ibanOf(digits, pick),
  'printed IBANs': (digits, pick) =>
    `IBAN ${groupsOf(4, ibanOf(digits, pick), pick([' ', ' ', '\u00a0', '-']))}, thanks`,
  'order numbers': (digits, pick) =>
    pick([
      `2026-${digits(9)}`,
      `450001${digits(4)}`,
      `${digits(3)}-${digits(7)}-${digits(7)}`,
      `ORD-2026-${digits(6)}-${digits(3)}`,
      `INV${digits(16)}`,
      `20261127${digits(6)}`,
      `R${digits(9)}-${digits(4)}`,
      `${digits(10)}/${digits(2)}`,
      `PO ${digits(10)} pos ${digits(4)}`,
    ]),
  decimals: (digits, pick) =>
    pick([
      `0.${digits(16)}`,
      `-0.${digits(17)}`,
      `${digits(1)}.${digits(15)}`,
      `${digits(2)}.${digits(14)}`,
      `0,${digits(16)}`,
      `4.${digits(15)}e-7`,
      `{"rate":0.${digits(18)}}`,
    ]),
  timestamps: (digits, pick) =>
    pick([
      `17958${digits(8)}`,
      `17958${digits(11)}`,
      `17958${digits(14)}`,
      `2026112723${digits(4)}`,
      `2026112723${digits(7)}`,
      `2026-11-27T23:59:${digits(2)}.${digits(9)}Z`,
    ]),
  UUIDs: (digits, pick) => {
    const hex = (count: number) =>
      Array.from({ length: count }, () => pick([...'00112233445566778899abcdef'])).join('');
    return pick([
      `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
      `${digits(8)}-${digits(4)}-4${digits(3)}-8${digits(3)}-${digits(12)}`,
    ]);
  },
  addresses: (digits, pick) =>
    pick([
      `192.168.1${digits(2)}.1${digits(2)}:${digits(4)}`,
      `2001:db8:${digits(4)}:${digits(4)}:${digits(4)}:${digits(4)}::1`,
      `v24.21.0-2026.11.${digits(12)}`,
    ]),
};
