import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Expression } from './expression';
import { ExpressionError } from './syntax-tree';

/** For each expression: which names .NET matches; null where .NET rejects it. */
interface Observed {
  readonly names: readonly string[];
  readonly expressions: Readonly<Record<string, readonly number[] | null>>;
}

const file = join(__dirname, '..', '..', 'testing', 'recorded', 'regular-expressions.json');
const { names, expressions } = JSON.parse(readFileSync(file, 'utf8')) as Observed;

/** .NET accepts them, and they need backtracking. */
const REFUSED = [
  '(a)(?(1)b|c)',
  '(?<n>a)b\\k<n>b',
  '(a)(b)\\1\\2',
  '\\1(a)',
  '(?<n>a)(?(n)b|c)',
  '(?<open>\\()+a(?<-open>\\))+',
];

describe('a regular expression', () => {
  it.each(Object.entries(expressions).filter(([source]) => !REFUSED.includes(source)))(
    '%j matches what it matches in .NET, or is refused as there',
    (source, expected) => {
      if (expected === null) {
        expect(() => new Expression(source)).toThrow(ExpressionError);
        return;
      }
      const expression = new Expression(source);
      expect(names.filter((name) => expression.test(name))).toEqual(expected.map((index) => names[index]));
    },
  );

  it.each([...REFUSED, '(?>a|ab)c'])('%j is refused by name, for it needs backtracking', (source) => {
    expect(() => new Expression(source)).toThrow(/is not supported: it can't be matched in linear time/);
  });

  it.each([
    ['(?i)\\p{Lu}', 'é', true],
    ['(?i)[\\p{Lu}-[\u00c9]]', '\u00e9', false],
    ['(?i)\u00b5', '\u03bc', false],
    ['^a{2}(?<=a)$', 'aa', true],
    ['^(?(?!b)a|b)$', 'b', true],
    ['^(?(?=a)b)', 'a', false],
    ['\\bc', 'b\u200dc', false],
    ['[a-c-[b]]', 'b', false],
    ['[--a]', '0', true],
    ['^[[:alph]\\]', 'a]', true],
    ['(?x)a + b # and so on', 'aab', true],
    ['a{0,2147483647}$', 'aaa', true],
  ])('%j with %j: %j, as in .NET', (source, text, expected) => {
    expect(new Expression(source).test(text)).toBe(expected);
  });

  it('takes time in proportion to the text, whatever its form', () => {
    const hostile = ['^(a+)+$', '(a|a)*b', '(a*)*(a*)*c', '(?=(a+)+$)a+!$', '(?<=(a|aa)+)b'];
    for (const source of hostile) {
      const expression = new Expression(source);
      const cost = (length: number): number => {
        expression.cost = 0;
        expression.test(`${'a'.repeat(length)}!`);
        return expression.cost;
      };
      expect(cost(2_000)).toBeLessThan(2.5 * cost(1_000));
    }
  });

  it('is refused when its counts make it too large, or it is nested too deep', () => {
    expect(() => new Expression('(a{100}){100}')).toThrow(/more than 2000 parts/);
    expect(() => new Expression('(?:){2000000000}')).not.toThrow();
    expect(() => new Expression('('.repeat(200) + ')'.repeat(200))).toThrow(/nested more than/);
  });
});
