import * as fc from 'fast-check';
import { decodeCursor, encodeCursor } from './cursor';
import { ApiError } from './errors/api-error';

const INVALID = new ApiError('CURSOR_INVALID');
const KEY = '2026-01-15T12:00:00.000Z|whd_00000000000000000000000001';

describe('a cursor', () => {
  it('gives its order key back to its own list, and to no other', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string({ unit: 'grapheme' }), (list, other, orderKey) => {
        const cursor = encodeCursor(list, orderKey);
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(decodeCursor(list, cursor)).toBe(orderKey);
        if (other !== list) expect(() => decodeCursor(other, cursor)).toThrow(INVALID);
      }),
    );
  });

  it('is refused with a character changed, missing or added', () => {
    const cursor = encodeCursor('m1', KEY);
    for (let at = 0; at < cursor.length; at += 1) {
      const without = cursor.slice(0, at) + cursor.slice(at + 1);
      const changed = `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`;
      const added = `${cursor.slice(0, at)}=${cursor.slice(at)}`;
      for (const text of [without, changed, added]) expect(() => decodeCursor('m1', text)).toThrow(INVALID);
    }
  });

  it('is refused as anything else', () => {
    for (const text of ['', ' ', 'AAAA', KEY, 'A'.repeat(1_000)]) {
      expect(() => decodeCursor('m1', text)).toThrow(INVALID);
    }
  });
});
