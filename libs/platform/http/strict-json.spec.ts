import * as fc from 'fast-check';
import { MAX_JSON_DEPTH, MAX_JSON_MEMBERS, outlineOf, parseStrictJson } from './strict-json';

const read = (text: string) => parseStrictJson(Buffer.from(text));
const nested = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
const problemOf = (text: string | Uint8Array): string => {
  const result = parseStrictJson(Buffer.from(text as string));
  return 'problem' in result ? result.problem : 'none';
};

/** Writes a string with every character as it is, or escaped, as the flags say. */
function spell(text: string, escaped: readonly boolean[]): string {
  const units = [...Array(text.length).keys()].map((index) => {
    const unit = text.charCodeAt(index);
    const must = unit < 0x20 || unit === 0x22 || unit === 0x5c || (unit >= 0xd800 && unit <= 0xdfff);
    return must || escaped[index % escaped.length] ? `\\u${unit.toString(16).padStart(4, '0')}` : text.charAt(index);
  });
  return `"${units.join('')}"`;
}

describe('parseStrictJson', () => {
  it.each([
    ['an empty body', '', 'The body is empty: send a JSON object.'],
    ['blanks alone', '  \n', 'The body is not valid JSON.'],
    ['a truncated object', '{"a":1', 'The body is not valid JSON.'],
    ['something after the object', '{} {}', 'The body is not valid JSON.'],
    ['a trailing comma', '{"a":1,}', 'The body is not valid JSON.'],
    ['single quotes', "{'a':1}", 'The body is not valid JSON.'],
    ['a comment', '{"a":1/* */}', 'The body is not valid JSON.'],
    ['NaN', '{"a":NaN}', 'The body is not valid JSON.'],
    ['a byte order mark', '\ufeff{}', 'The body is not valid JSON.'],
    ['an array', '[]', 'The body must be a JSON object.'],
    ['null', 'null', 'The body must be a JSON object.'],
    ['a string', '"{}"', 'The body must be a JSON object.'],
    ['a repeated key', '{"a":1,"a":1}', 'The body holds an object that repeats a key.'],
    ['a repeated key in another spelling', '{"a":1,"\\u0061":2}', 'The body holds an object that repeats a key.'],
    ['a repeated key far inside', '{"x":[{"y":{"a":1,"b":2,"a":3}}]}', 'The body holds an object that repeats a key.'],
    ['a repeated integer-like key', '{"1":1,"1":2}', 'The body holds an object that repeats a key.'],
    ['__proto__', '{"__proto__":{"x":1}}', 'The body holds a key that is not allowed anywhere.'],
    [
      '__proto__ in another spelling',
      '{"a":{"\\u005f_proto__":1}}',
      'The body holds a key that is not allowed anywhere.',
    ],
    ['constructor', '{"a":[{"constructor":1}]}', 'The body holds a key that is not allowed anywhere.'],
    ['prototype', '{"prototype":1}', 'The body holds a key that is not allowed anywhere.'],
    ['half of a surrogate pair', '{"a":"\\ud83d"}', 'The body holds an escape that is half of a surrogate pair.'],
    ['half of a pair in a key', '{"\\udc00":1}', 'The body holds an escape that is half of a surrogate pair.'],
  ])('refuses %s', (_name, text, problem) => {
    expect(problemOf(text)).toBe(problem);
  });

  it.each([
    ['an overlong encoding', [0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d]],
    ['an encoded surrogate', [0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]],
    ['Latin-1', [0x7b, 0x22, 0xe4, 0x22, 0x3a, 0x31, 0x7d]],
    ['UTF-16', [...Buffer.from('{"ä":1}', 'utf16le')]],
  ])('refuses %s', (_name, bytes) => {
    expect('problem' in parseStrictJson(Uint8Array.from(bytes))).toBe(true);
  });

  it('takes 32 levels and no more', () => {
    expect(read(nested(MAX_JSON_DEPTH))).toHaveProperty('value');
    expect(problemOf(nested(MAX_JSON_DEPTH + 1))).toBe('The body nests deeper than 32 levels.');
    expect(problemOf(`{"a":${'['.repeat(40)}${']'.repeat(40)}}`)).toBe('The body nests deeper than 32 levels.');
    expect(problemOf(`{"a":${'['.repeat(130_000)}`)).toBe('The body nests deeper than 32 levels.');
    expect(problemOf(`{"a":${'['.repeat(130_000)}${']'.repeat(130_000)}}`)).toBe(
      'The body nests deeper than 32 levels.',
    );
  });

  it('takes 4,000 members and no more, wherever they stand', () => {
    const lines = (count: number) =>
      JSON.stringify({ a: Array.from({ length: count }, (_, n) => ({ [`k${n}`]: ':{"' })) });
    expect(read(lines(MAX_JSON_MEMBERS - 1))).toHaveProperty('value');
    expect(problemOf(lines(MAX_JSON_MEMBERS))).toBe('The body has more than 4000 members.');
    expect(problemOf(`{${'"a":0,'.repeat(40_000)}`)).toBe('The body has more than 4000 members.');
  });

  it('looks at each character at most once before it parses, whatever the text', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      '\\"',
      '\\\\"',
      ':',
      ',',
      'a',
      '"a":',
      '[[',
      '{"a":[',
      'é',
    );
    fc.assert(
      fc.property(
        fc.array(pieces, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 2_000 }),
        (parts, times) => {
          const text = parts.join('').repeat(times);
          let looks = 0;
          const counted = {
            length: text.length,
            charCodeAt: (index: number) => ((looks += 1), text.charCodeAt(index)),
          };
          outlineOf(counted);
          expect(looks).toBeLessThanOrEqual(text.length);
        },
      ),
    );
  });

  it('is not misled by colons, quotes and backslashes inside strings', () => {
    const value = { 'a:"b': ':\\"', 'c\\': '\\\\":{"x":1}', d: ['":"', '\\'] };
    expect(read(JSON.stringify(value, null, 2))).toEqual({ value });
  });

  it('reads only the part of the memory that it was given', () => {
    const whole = Buffer.from('xx{"a":1}yy');
    expect(parseStrictJson(whole.subarray(2, 9))).toEqual({ value: { a: 1 } });
  });

  it('reads what JSON.parse reads', () => {
    const key = fc
      .string({ unit: 'grapheme' })
      .filter((name) => !['__proto__', 'constructor', 'prototype'].includes(name));
    const { value: json } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.string(),
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
        tie('array'),
        tie('object'),
      ),
      array: fc.array(tie('value'), { maxLength: 4 }),
      object: fc.dictionary(key, tie('value'), { maxKeys: 5 }),
    }));
    fc.assert(
      fc.property(fc.dictionary(key, json), fc.constantFrom(undefined, 1, '\t'), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(read(text)).toEqual({ value: JSON.parse(text) });
      }),
    );
  });

  it('refuses exactly the objects that repeat a key, however it is escaped', () => {
    const member = fc.tuple(
      fc.constantFrom('a', 'b', 'ab', 'é', '"', '😀', ':'),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
      fc.nat(),
    );
    fc.assert(
      fc.property(fc.array(member, { maxLength: 6 }), (members) => {
        const text = `{${members.map(([key, escaped, value]) => `${spell(key, escaped)}:${value}`).join(' , ')}}`;
        const repeats = new Set(members.map(([key]) => key)).size < members.length;
        expect('problem' in read(text)).toBe(repeats);
      }),
    );
  });

  it('never takes what JSON.parse does not, and never throws', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('{', '}', '[', ']', '"', '\\', ':', ',', 'a', '1', ' ', '\\u0061')),
        (parts) => {
          const text = parts.join('');
          const result = read(text);
          if ('value' in result) expect(result.value).toEqual(JSON.parse(text));
        },
      ),
    );
  });
});
