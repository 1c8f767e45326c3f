import { countDigits, INVISIBLE, isSeparator, kindOf, LETTER, OTHER } from './digits';

const kind = (character: string): number => kindOf(character.codePointAt(0) ?? 0);

describe('kindOf', () => {
  it('reads every decimal digit of Unicode as the digit it is, and sees it in percent-encoding', () => {
    let rows = 0;
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint += 1) {
      if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue;
      const character = String.fromCodePoint(codePoint);
      if (!/\p{Nd}/u.test(character)) continue;
      const value = kindOf(codePoint);
      expect(value).toBe(rows % 10);
      const compatible = character.normalize('NFKC');
      if (/^[0-9]$/.test(compatible)) expect(value).toBe(Number(compatible));
      if (codePoint > 0x7f) expect(encodeURIComponent(character)).toMatch(/[0-9]/);
      rows += 1;
    }
    expect(rows % 10).toBe(0);
    expect(rows).toBeGreaterThan(600);
  });

  it.each([
    [' ', '\u00a0', '\u202f', '\u2007', '\u3000'],
    ['-', '\u2010', '\u2011', '\u2013', '\u2014', '\u2212'],
    ['.', '·', '．', '•'],
    ['\t'],
    ['/'],
    ['\\'],
    ['|'],
    ['_'],
    ['+'],
  ])('reads %j as a separator, with others alike', (first, ...others) => {
    expect(isSeparator(kind(first))).toBe(true);
    for (const other of others) expect(kind(other)).toBe(kind(first));
    const separators = [' ', '-', '.', '\t', '/', '\\', '|', '_', '+'].map(kind);
    expect(new Set(separators).size).toBe(9);
  });

  it.each(['\u200b', '\u200d', '\u2060', '\ufeff', '\u00ad', '\ufe0f', '\u20e3'])(
    'reads %j as invisible',
    (character) => {
      expect(kind(character)).toBe(INVISIBLE);
    },
  );

  it.each(['a', 'z', 'A', 'Z'])('reads %j as a letter', (character) => {
    expect(kind(character)).toBe(LETTER);
  });

  it.each([',', ':', '\n', '\0', 'é', '一', '²', '①', '½', '\ud800'])('reads %j as other', (character) => {
    expect(kind(character)).toBe(OTHER);
    expect(kind(character)).toBe(OTHER);
  });
});

describe('countDigits', () => {
  it('counts those of any script', () => {
    expect(countDigits('a1-2/３x٤\u200b𝟝 ६')).toBe(6);
    expect(countDigits('')).toBe(0);
  });
});
