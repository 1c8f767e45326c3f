import fc from 'fast-check';
import { allOf, escaped, Keys, unescaped } from './keys';

const keys = new Keys('counterfoil:');
const text = fc.string({
  unit: fc.constantFrom('a', 'B', ':', '%', '{', '}', '/', 'é', '😀', '\0', '\x01', '\x02', '|'),
});

describe('keys', () => {
  it('have the documented form', () => {
    expect(keys.meta('payments:2/4')).toBe('counterfoil:{payments:2/4}:meta');
    expect(keys.collections('payments', '7')).toBe('counterfoil:{payments}:v7');
    expect(keys.ofCollection('payments', '7', 'to do').lists).toBe('counterfoil:{payments}:v7:lists:to%20do');
    expect(keys.holders('p:1/2')).toBe('counterfoil:{holders:p%3a1/2}');
    expect(keys.meta('')).toBe('counterfoil:{%}:meta');
  });

  it('differ if the names do, and contain the slot’s hash tag once', () => {
    fc.assert(
      fc.property(text, text, text, text, (projection, collection, otherProjection, otherCollection) => {
        const ours = allOf(keys.ofCollection(projection, '1', collection));
        const others = allOf(keys.ofCollection(otherProjection, '1', otherCollection));
        const same = projection === otherProjection && collection === otherCollection;
        expect(ours.some((key) => others.includes(key))).toBe(same);
        const tags = new Set(
          [...ours, keys.meta(projection)].map((key) => /^counterfoil:\{([^{}]+)\}:[^{}]*$/.exec(key)?.[1]),
        );
        expect([...tags]).toEqual([expect.any(String)]);
      }),
    );
  });
});

describe('escaped text', () => {
  it('can be unescaped, contains no separator and sorts as before', () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(unescaped(escaped(one))).toBe(one);
        expect(['\0', '\x02'].filter((separator) => escaped(one).includes(separator))).toEqual([]);
        const order = (a: string, b: string) => Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)));
        expect(order(escaped(one), escaped(other))).toBe(order(one, other));
      }),
    );
  });
});
