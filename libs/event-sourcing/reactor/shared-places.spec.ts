import * as fc from 'fast-check';
import { SharedPlaces } from './shared-places';

/** Every owner in turn takes one more, until nobody may. */
function fill(places: SharedPlaces, owners: readonly string[]): readonly number[] {
  for (let took = true; took;) {
    took = false;
    for (const owner of owners.filter((name) => places.allows(name))) {
      places.take(owner);
      took = true;
    }
  }
  return owners.map((owner) => places.heldBy(owner));
}

describe('shared places', () => {
  it('leave a part free for whoever comes next', () => {
    expect(fill(new SharedPlaces({ places: 64, share: 3 }), ['a'])).toEqual([48]);
    expect(fill(new SharedPlaces({ places: 32, share: 1 }), ['a'])).toEqual([16]);
    expect(fill(new SharedPlaces({ places: 80, share: 4 }), ['a'])).toEqual([64]);
    expect(fill(new SharedPlaces({ places: 80, share: 4 }), ['a', 'b'])).toEqual([36, 36]);
  });

  it('are shared alike by those who came together, and those who come later find some', () => {
    const places = new SharedPlaces({ places: 64, share: 3 });
    expect(fill(places, ['a'])).toEqual([48]);
    expect(fill(places, ['a', 'b'])).toEqual([48, 12]);
    expect(fill(places, ['a', 'b', 'c'])).toEqual([48, 12, 3]);
  });

  it('come back, and a copy is a place to try things out', () => {
    const places = new SharedPlaces({ places: 4, share: 1 });
    places.take('a', 2);
    const copy = places.copy();
    copy.take('b');
    expect([places.allows('a'), copy.taken, places.taken, places.heldBy('b')]).toEqual([false, 3, 2, 0]);
    places.giveBack('a');
    expect([places.allows('a'), places.taken]).toEqual([true, 1]);
    expect(() => {
      places.giveBack('b');
    }).toThrow('not taken');
  });

  it('are never overdrawn by who asks first, and always hold one for a newcomer while there are few owners', () => {
    const owners = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const steps = fc.array(fc.tuple(owners, fc.boolean()), { maxLength: 400 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 4 }), (taken, share) => {
        const places = new SharedPlaces({ places: 64, share });
        for (const [owner, takes] of taken) {
          if (takes && places.allows(owner)) places.take(owner);
          else if (places.heldBy(owner) > 0) places.giveBack(owner);
          expect(places.taken).toBeLessThanOrEqual(64);
          expect(places.allows('newcomer')).toBe(true);
        }
      }),
    );
  });
});
