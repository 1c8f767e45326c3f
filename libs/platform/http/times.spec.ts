import * as fc from 'fast-check';
import { ApiError } from './errors/api-error';
import { parseTime, timeRangeOf } from './times';

describe('parseTime', () => {
  it.each([
    ['2030-01-01T00:00:00Z', '2030-01-01T00:00:00.000Z'],
    ['2030-01-01T02:00:00+02:00', '2030-01-01T00:00:00.000Z'],
    ['2029-12-31T18:30:00.1239-05:30', '2030-01-01T00:00:00.123Z'],
    ['2030-01-01T00:00:00+00:00', '2030-01-01T00:00:00.000Z'],
    ['2030-01-01T00:00:00-00:00', '2030-01-01T00:00:00.000Z'],
    ['2028-02-29T00:00:00+14:00', '2028-02-28T10:00:00.000Z'],
    ['9999-12-31T23:59:59-12:00', '9999-12-31T23:59:59.999Z'],
  ])('reads %s', (text, iso) => {
    expect(parseTime(text)).toBe(Date.parse(iso));
  });

  it.each([
    '2030-01-01T00:00:00',
    '2030-01-01T00:00:00 02:00',
    '2030-01-01T00:00:00+2:00',
    '2030-01-01T00:00:00+0200',
    '2030-01-01T00:00:00+24:00',
    '2030-01-01T00:00:00+02:60',
    '2030-01-01T00:00:00Z+02:00',
    '2030-01-01T00:00:00+02:00+02:00',
    '2030-02-30T00:00:00+02:00',
    '+02:00',
    '',
  ])('refuses %j', (text) => {
    expect(parseTime(text)).toBeNull();
  });
});

describe('a range of times', () => {
  const names = { from: 'createdFrom', to: 'createdTo' };
  const range = (from?: string, to?: string) => timeRangeOf({ from, to }, names);

  it('is told in the spelling of stored times, and may be open', () => {
    expect(range('2030-01-01T02:00:00+02:00', '2030-01-01T00:00:01Z')).toEqual({
      from: '2030-01-01T00:00:00.000Z',
      to: '2030-01-01T00:00:01.000Z',
    });
    expect(range()).toEqual({ from: undefined, to: undefined });
    expect(range(undefined, '2030-01-01T00:00:00Z')).toEqual({ from: undefined, to: '2030-01-01T00:00:00.000Z' });
  });

  it.each([
    ['2030-01-01T00:00:00Z', '2029-12-31T23:59:59.999Z'],
    ['2030-01-01T00:00:00Z', '2030-01-01T00:00:00Z'],
    ['2030-01-01T00:00:00Z', '2030-01-01T01:00:00+01:00'],
    ['2030-01-01T00:00:00Z', '2030-01-01T00:30:00+01:00'],
  ])('from %s to %s is refused', (from, to) => {
    expect(() => range(from, to)).toThrow(
      expect.objectContaining({
        constructor: ApiError,
        code: 'VALIDATION_FAILED',
        details: [
          {
            field: 'createdTo',
            code: 'INVALID_FORMAT',
            message: 'This must be later than createdFrom: it is the first moment that is no longer meant.',
          },
        ],
      }),
    );
  });

  it.each([
    ['2030-01-01T00:00:00.768000000Z', '2030-01-01T00:00:00.768Z'],
    ['2030-01-01T00:00:00.7689Z', '2030-01-01T00:00:00.769Z'],
    ['2030-01-01T01:00:00.768000001+01:00', '2030-01-01T00:00:00.769Z'],
    ['9999-12-31T23:59:59.9999Z', '9999-12-31T23:59:59.999Z'],
  ])('begins with the first whole millisecond that is not before %s', (text, iso) => {
    expect(range(text)).toEqual({ from: iso, to: undefined });
  });

  it('begins before or after each millisecond as the time itself does', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 998_999 }), fc.integer({ min: 0, max: 999 }), (microseconds, ms) => {
        const { from } = range(`2030-01-01T00:00:00.${String(microseconds).padStart(6, '0')}Z`);
        const stored = new Date(Date.UTC(2030, 0, 1) + ms).toISOString();
        expect(stored >= from!).toBe(ms * 1000 >= microseconds);
      }),
    );
  });
});
