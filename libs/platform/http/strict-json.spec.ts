import * as fc from 'fast-check';
import { MAX_JSON_DEPTH, MAX_JSON_MEMBERS, outlineOf, parseStrictJson } from './strict-json';

const read = (text: string) => parseStrictJson(Buffer.from(text));
const nested = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
const problemOf = (text: string | Uint8Array): string => {
  const result = parseStrictJson(typeof text === 'string' ? Buffer.from(text) : text);
  return 'problem' in result ? result.problem : 'none';
};

/** Writes a string literally or with escapes, for each character as the flags say. */
function spell(text: string, escaped: readonly boolean[]): string {
  const units = [...Array(text.length).keys()].map((index) => {
    const unit = text.charCodeAt(index);
    const must = unit < 0x20 || unit === 0x22 || unit === 0x5c || (unit >= 0xd800 && unit <= 0xdfff);
    return must || escaped[index % escaped.length] ? `\\u${unit.toString(16).padStart(4, '0')}` : text.charAt(index);
  });
  return `"${units.join('')}"`;
}

describe('parseStrictJson', () => {
  const broken = (line: number, column: number) =>
    `The body is not valid JSON: it breaks at line ${line}, column ${column}.`;
  const repeated = (key: string, line: number, column: number) =>
    `The body repeats the key ${key} at line ${line}, column ${column}.`;
  const forbidden = (key: string, column: number) =>
    `The body holds the key ${key}, which is not allowed anywhere, at line 1, column ${column}.`;
  const halfPair = (column: number) =>
    `The body holds an escape that is half of a surrogate pair at line 1, column ${column}.`;

  it.each([
    ['an empty body', '', 'The body is empty: send a JSON object.'],
    ['blanks alone', '  \n', broken(2, 1)],
    ['a truncated object', '{"a":1', broken(1, 7)],
    ['a truncated text', '{\n  "a": "x', broken(2, 8)],
    ['something after the object', '{} {}', broken(1, 4)],
    ['a trailing comma', '{\r\n"a":1,\r\n}', broken(3, 1)],
    ['a missing comma', '{\n  "a": 1\n  "b": 2\n}', broken(3, 3)],
    ['a missing value', '{"a":}', broken(1, 6)],
    ['a missing colon', '{"a" 1}', broken(1, 6)],
    ['a line break in a text', '{"a":"x\ny"}', broken(1, 6)],
    ['a leading zero', '{"a":01}', broken(1, 7)],
    ['single quotes', "{'a':1}", broken(1, 2)],
    ['a comment', '{"a":1/* */}', broken(1, 7)],
    ['NaN', '{"a":NaN}', broken(1, 6)],
    ['a byte order mark', '\ufeff{}', broken(1, 1)],
    ['an array', '[]', 'The body must be a JSON object.'],
    ['null', 'null', 'The body must be a JSON object.'],
    ['a string', '"{}"', 'The body must be a JSON object.'],
    ['a repeated key', '{"a":1,"a":1}', repeated('a', 1, 8)],
    ['a repeated key in another spelling', '{"a":1,"\\u0061":2}', repeated('a', 1, 8)],
    ['a repeated key far inside', '{"x":[1,{"y":\n{"a":1,"b":2,"a":3}}]}', repeated('x[1].y.a', 2, 14)],
    ['a key of an object that is itself repeated', '{"x":{"a":1},"x":{"a":1}}', repeated('x', 1, 14)],
    ['a repeated integer-like key', '{"1":1,"1":2}', repeated('["1"]', 1, 8)],
    ['__proto__', '{"__proto__":{"x":1}}', forbidden('__proto__', 2)],
    ['__proto__ in another spelling', '{"a":{"\\u005f_proto__":1}}', forbidden('__proto__', 7)],
    ['constructor', '{"a":[{"constructor":1}]}', forbidden('constructor', 8)],
    ['prototype', '{"prototype":1}', forbidden('prototype', 2)],
    ['half of a surrogate pair', '{"a":"\\ud83d"}', halfPair(6)],
    ['half of a pair in a list', '{"a":["x","\\ud83d"]}', halfPair(11)],
    ['half of a pair in a key', '{"\\udc00":1}', halfPair(2)],
  ])('refuses %s', (_name, text, problem) => {
    expect(problemOf(text)).toBe(problem);
  });

  it.each([
    ['a repeated card number', '{"4111111111111111":1,"4111111111111111":1}'],
    ['a repeated card number in groups', '{"4111 1111 1111 1111":1,"4111 1111 1111 1111":1}'],
    [
      'a repeated card number behind a long name',
      `{"${'x'.repeat(40)}4111111111111111":1,"${'x'.repeat(40)}4111111111111111":1}`,
    ],
    ['a card number in place of a key', '{4111111111111111:1}'],
    ['a card number in place of a comma', '{"a":1 4111111111111111}'],
    ['a card number that is cut off', '{"number":"4111111111111111'],
    ['a card number with a half escape', '{"number":"4111111111111111\\ud83d"}'],
  ])('says nothing of %s', (_name, text) => {
    expect(problemOf(text)).toMatch(/ at line 1, column \d+\.$/);
    expect(problemOf(text)).not.toMatch(/4111|1111/);
  });

  it.each([
    ['an overlong encoding', [0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d], 2],
    ['an encoded surrogate', [0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d], 2],
    ['Latin-1', [0x7b, 0x22, 0xe4, 0x22, 0x3a, 0x31, 0x7d], 2],
    ['UTF-16', [...Buffer.from('{"ä":1}', 'utf16le')], 4],
    ['bytes behind the mark that replaces such bytes', [...Buffer.from('{"\ufffd'), 0xff, 0x22], 5],
  ])('refuses %s', (_name, bytes, valid) => {
    expect(problemOf(Uint8Array.from(bytes))).toBe(`The body is not valid UTF-8 behind its first ${valid} bytes.`);
  });

  it('takes 32 levels and no more', () => {
    expect(read(nested(MAX_JSON_DEPTH))).toHaveProperty('value');
    const tooDeep = (column: number) => `The body nests deeper than 32 levels at line 1, column ${column}.`;
    expect(problemOf(nested(MAX_JSON_DEPTH + 1))).toBe(tooDeep(161));
    expect(problemOf(`{"a":${'['.repeat(40)}${']'.repeat(40)}}`)).toBe(tooDeep(37));
    expect(problemOf(`{"a":${'['.repeat(130_000)}`)).toBe(tooDeep(37));
    expect(problemOf(`{"a":${'['.repeat(130_000)}${']'.repeat(130_000)}}`)).toBe(tooDeep(37));
  });

  it('takes 4,000 members and no more, wherever they stand', () => {
    const lines = (count: number) =>
      JSON.stringify({ a: Array.from({ length: count }, (_, n) => ({ [`k${n}`]: ':{"' })) });
    expect(read(lines(MAX_JSON_MEMBERS - 1))).toHaveProperty('value');
    const tooMany = /^The body has more than 4000 members at line 1, column \d+\.$/;
    expect(problemOf(lines(MAX_JSON_MEMBERS))).toMatch(tooMany);
    expect(problemOf(`{${'"a":0,'.repeat(40_000)}`)).toMatch(tooMany);
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
          else
            expect(result.problem).toMatch(
              / at line 1, column \d+\.$|: send a JSON object\.$|must be a JSON object\.$/,
            );
        },
      ),
    );
  });
});
