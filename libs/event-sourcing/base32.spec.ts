import fc from 'fast-check';

import { encodeBase32, uuidToBase32 } from './';

describe('encodeBase32', () => {
  it('maps each value to its character', () => {
    const bits = Array.from({ length: 32 }, (_, value) => value.toString(2).padStart(5, '0')).join('');
    const bytes = Uint8Array.from(bits.match(/.{8}/g)!, (byte) => parseInt(byte, 2));
    expect(encodeBase32(bytes, 32)).toBe('0123456789ABCDEFGHJKMNPQRSTVWXYZ');
  });

  it('encodes the leading bits and ignores the rest', () => {
    expect(encodeBase32(Uint8Array.of(0xff, 0xff), 3)).toBe('ZZZ');
    expect(encodeBase32(Uint8Array.of(0b00001_000, 0xff), 1)).toBe('1');
    expect(encodeBase32(new Uint8Array(17).fill(255), 26)).toBe('Z'.repeat(26));
    expect(encodeBase32(new Uint8Array(32), 26)).toBe('0'.repeat(26));
    expect(encodeBase32(new Uint8Array(0), 0)).toBe('');
  });

  it('rejects too few bytes instead of padding', () => {
    expect(() => encodeBase32(new Uint8Array(16), 26)).toThrow(RangeError);
  });

  it('encodes exactly the leading bits of any bytes', () => {
    const values = new Map([...'0123456789ABCDEFGHJKMNPQRSTVWXYZ'].map((character, value) => [character, value]));
    const toBits = (numbers: Iterable<number>, width: number): string =>
      [...numbers].map((number) => number.toString(2).padStart(width, '0')).join('');
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (bytes) => {
        const length = Math.floor((bytes.length * 8) / 5);
        const encoded = encodeBase32(bytes, length);
        expect(encoded).toHaveLength(length);
        expect(
          toBits(
            [...encoded].map((character) => values.get(character)!),
            5,
          ),
        ).toBe(toBits(bytes, 8).slice(0, length * 5));
      }),
    );
  });
});

describe('uuidToBase32', () => {
  it('keeps all bits of a UUID and the sort order', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (one, other) => {
        expect(uuidToBase32(one)).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
        expect(uuidToBase32(one) < uuidToBase32(other)).toBe(one < other);
        expect(uuidToBase32(one) === uuidToBase32(other)).toBe(one === other);
      }),
    );
  });
});
