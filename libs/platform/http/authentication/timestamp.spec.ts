import * as fc from 'fast-check';
import { isFresh, MAX_AGE_MS, MAX_AHEAD_MS, parseTimestamp } from './timestamp';

describe('parseTimestamp', () => {
  it('reads what toISOString writes', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true }),
        (date) => {
          expect(parseTimestamp(date.toISOString())).toBe(date.getTime());
        },
      ),
    );
  });

  it.each([
    ['2030-01-01T00:00:00Z', '2030-01-01T00:00:00.000Z'],
    ['2030-01-01T00:00:00+00:00', '2030-01-01T00:00:00.000Z'],
    ['2030-01-01t00:00:00z', '2030-01-01T00:00:00.000Z'],
    ['2030-01-01T00:00:00.1Z', '2030-01-01T00:00:00.100Z'],
    ['2030-01-01T00:00:00.123456789Z', '2030-01-01T00:00:00.123Z'],
    ['2028-02-29T23:59:59Z', '2028-02-29T23:59:59.000Z'],
  ])('reads %s', (text, iso) => {
    expect(parseTimestamp(text)).toBe(Date.parse(iso));
  });

  it.each([
    '2030-02-30T00:00:00Z',
    '2030-02-29T00:00:00Z',
    '2030-13-01T00:00:00Z',
    '2030-00-01T00:00:00Z',
    '2030-01-01T24:00:00Z',
    '2030-01-01T00:60:00Z',
    '2030-01-01T00:00:60Z',
    '2030-01-01T00:00:00',
    '2030-01-01T01:00:00+01:00',
    '2030-01-01T00:00:00-00:00',
    '2030-01-01 00:00:00Z',
    '2030-01-01T00:00Z',
    '2030-01-01',
    '2030-1-1T00:00:00Z',
    '+002030-01-01T00:00:00Z',
    '0030-01-01T00:00:00Z ',
    '2030-01-01T00:00:00.Z',
    '2030-01-01T00:00:00,5Z',
    '2030-01-01T00:00:00.1234567890Z',
    '2030-01-01T00:00:00Z\n',
    '1893456000',
    'Tue, 01 Jan 2030 00:00:00 GMT',
    '',
  ])('refuses %j', (text) => {
    expect(parseTimestamp(text)).toBeNull();
  });
});

describe('isFresh', () => {
  const nowMs = Date.UTC(2030, 0, 1);
  const at = (offsetMs: number): boolean => isFresh(new Date(nowMs + offsetMs).toISOString(), nowMs);

  it('takes 300 s of age and 60 s ahead, and not a millisecond more', () => {
    expect([at(0), at(-MAX_AGE_MS), at(MAX_AHEAD_MS)]).toEqual([true, true, true]);
    expect([at(-MAX_AGE_MS - 1), at(MAX_AHEAD_MS + 1)]).toEqual([false, false]);
    expect(isFresh('now', nowMs)).toBe(false);
  });
});
