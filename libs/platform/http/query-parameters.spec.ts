import 'reflect-metadata';
import { IsIn } from 'class-validator';
import { DateTime, Optional, Text } from './validation/rules';
import { compileQueryValidator, PageQuery, pageSizeOf } from './query-parameters';
import { jsonSchemaOf } from './validation/json-schema';

class ThingsQuery extends PageQuery {
  @Optional()
  @IsIn(['RED', 'BLUE'])
  colour?: string;

  @Optional()
  @DateTime()
  since?: string;

  @Text({ min: 1, max: 3 })
  name!: string;
}

const judge = compileQueryValidator(jsonSchemaOf(ThingsQuery));

function problemsOf(query: object): readonly string[] {
  const judged = judge(query);
  if (!('error' in judged)) return [];
  const { code, details } = judged.error;
  expect(code).toBe('VALIDATION_FAILED');
  return (details ?? []).map((one) => `${one.field}: ${one.code}`);
}

describe('query parameters', () => {
  it('are declared as the schema of one flat object, inherited ones too', () => {
    expect(jsonSchemaOf(ThingsQuery)).toMatchObject({
      type: 'object',
      properties: {
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
        cursor: { type: 'string', maxLength: 1_024 },
        colour: { type: 'string', enum: ['RED', 'BLUE'] },
        since: { type: 'string', format: 'rfc-3339' },
        name: { type: 'string' },
      },
      required: ['name'],
      additionalProperties: false,
    });
  });

  it('are handed on as texts, but for whole numbers', () => {
    const query = { name: '12', limit: '12', colour: 'RED', since: '2026-01-01T00:00:00Z', cursor: '' };
    expect(judge(query)).toEqual({ value: { ...query, limit: 12 } });
    expect(query.limit).toBe('12');
  });

  it('may have a time with an offset, its plus encoded or not', () => {
    for (const since of ['2026-01-01T00:00:00+02:00', '2026-01-01T00:00:00 02:00']) {
      expect(judge({ name: 'x', since })).toEqual({ value: { name: 'x', since: '2026-01-01T00:00:00+02:00' } });
    }
    const late = '2026-01-01T00:00:00-05:30';
    expect(judge({ name: 'x 01:00', since: late })).toMatchObject({ error: { code: 'VALIDATION_FAILED' } });
    expect(judge({ name: 'x', since: late })).toEqual({ value: { name: 'x', since: late } });
  });

  it('say how many items a page has', () => {
    expect(pageSizeOf({})).toBe(20);
    expect(pageSizeOf({ limit: 1 })).toBe(1);
  });

  it.each([
    [{}, ['name: REQUIRED']],
    [{ name: '' }, ['name: INVALID_FORMAT']],
    [{ name: 'long' }, ['name: TOO_LONG']],
    [{ name: 'x', Name: 'x' }, ['Name: UNKNOWN_FIELD']],
    [{ name: ['x', 'x'] }, ['name: INVALID_FORMAT']],
    [{ name: ['x', 'x'], limit: ['1', '2'] }, ['limit: INVALID_FORMAT', 'name: INVALID_FORMAT']],
    [{ name: 'x', other: ['a', 'b'] }, ['other: UNKNOWN_FIELD']],
    [{ name: 'x', colour: 'red' }, ['colour: INVALID_FORMAT']],
    [{ name: 'x', since: '2026-01-01' }, ['since: INVALID_FORMAT']],
    [{ name: 'x', since: '2026-01-01 00:00' }, ['since: INVALID_FORMAT']],
    [{ name: 'x', since: '2026-01-01T00:00:00  02:00' }, ['since: INVALID_FORMAT']],
    [{ name: 'x', limit: '0', page: '1' }, ['limit: INVALID_FORMAT', 'page: UNKNOWN_FIELD']],
    [Object.fromEntries([['name', 'x'] as const, ['__proto__', '1'] as const]), ['__proto__: UNKNOWN_FIELD']],
    [{ name: 'x', '4111111111111111': '1' }, ['["[digits]"]: UNKNOWN_FIELD']],
  ])('refuse %j', (query, problems) => {
    expect([...problemsOf(query)].sort()).toEqual(problems);
  });

  it('take a number in one spelling only', () => {
    for (const limit of ['1', '20', '100']) expect(problemsOf({ name: 'x', limit })).toEqual([]);
    for (const limit of ['', ' 1', '1 ', '+1', '-1', '01', '1.0', '1e1', '0x1', '101', '9'.repeat(30), 'NaN', 'true']) {
      expect(problemsOf({ name: 'x', limit })).toEqual(['limit: INVALID_FORMAT']);
    }
  });
});
