import { digitsOf, INVISIBLE, OTHER, readCharacter, SEPARATOR } from './digits';

const read = (character: string): number => readCharacter(character.codePointAt(0) ?? 0);

describe('readCharacter', () => {
  it('reads every decimal digit of Unicode as the digit it is', () => {
    let rows = 0;
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint += 1) {
      if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue;
      const character = String.fromCodePoint(codePoint);
      if (!/\p{Nd}/u.test(character)) continue;
      const value = readCharacter(codePoint);
      expect(value).toBe(rows % 10);
      const compatible = character.normalize('NFKC');
      if (/^[0-9]$/.test(compatible)) expect(value).toBe(Number(compatible));
      rows += 1;
    }
    expect(rows % 10).toBe(0);
    expect(rows).toBeGreaterThan(600);
  });

  it.each([
    ' ',
    '-',
    '.',
    '\u00a0',
    '\u202f',
    '\u2007',
    '\u3000',
    '\u2010',
    '\u2011',
    '\u2013',
    '\u2014',
    '\u2212',
    '·',
    '．',
  ])('reads %j as a separator', (character) => {
    expect(read(character)).toBe(SEPARATOR);
  });

  it.each(['\u200b', '\u200d', '\u2060', '\ufeff', '\u00ad', '\ufe0f', '\u20e3'])(
    'reads %j as invisible',
    (character) => {
      expect(read(character)).toBe(INVISIBLE);
    },
  );

  it.each(['a', ',', '/', '_', ':', '+', '\n', '\t', '\0', 'é', '一', '²', '①', '½', '\ud800'])(
    'reads %j as other',
    (character) => {
      expect(read(character)).toBe(OTHER);
    },
  );
});

describe('digitsOf', () => {
  it('keeps the digits alone, of any script, in order', () => {
    expect(digitsOf('a1-2/３x٤\u200b𝟝 ६')).toBe('123456');
    expect(digitsOf('')).toBe('');
  });
});
