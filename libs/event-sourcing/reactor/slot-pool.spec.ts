import * as fc from 'fast-check';
import { SlotPool } from './slot-pool';

/** Every owner in turn takes one more, until nobody may. */
function fill(pool: SlotPool, owners: readonly string[]): readonly number[] {
  for (let took = true; took;) {
    took = false;
    for (const owner of owners.filter((name) => pool.allows(name))) {
      pool.take(owner);
      took = true;
    }
  }
  return owners.map((owner) => pool.heldBy(owner));
}

describe('a slot pool', () => {
  it('leave a part free for whoever comes next', () => {
    expect(fill(new SlotPool({ slots: 64, share: 3 }), ['a'])).toEqual([48]);
    expect(fill(new SlotPool({ slots: 32, share: 1 }), ['a'])).toEqual([16]);
    expect(fill(new SlotPool({ slots: 80, share: 4 }), ['a'])).toEqual([64]);
    expect(fill(new SlotPool({ slots: 80, share: 4 }), ['a', 'b'])).toEqual([36, 36]);
  });

  it('are shared alike by those who came together, and those who come later find some', () => {
    const pool = new SlotPool({ slots: 64, share: 3 });
    expect(fill(pool, ['a'])).toEqual([48]);
    expect(fill(pool, ['a', 'b'])).toEqual([48, 12]);
    expect(fill(pool, ['a', 'b', 'c'])).toEqual([48, 12, 3]);
  });

  it('come back, and a copy is a place to try things out', () => {
    const pool = new SlotPool({ slots: 4, share: 1 });
    pool.take('a', 2);
    const copy = pool.copy();
    copy.take('b');
    expect([pool.allows('a'), copy.taken, pool.taken, pool.heldBy('b')]).toEqual([false, 3, 2, 0]);
    pool.giveBack('a');
    expect([pool.allows('a'), pool.taken]).toEqual([true, 1]);
    expect(() => {
      pool.giveBack('b');
    }).toThrow('not taken');
  });

  it('are never overdrawn by who asks first, and always hold one for a newcomer while there are few owners', () => {
    const owners = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const steps = fc.array(fc.tuple(owners, fc.boolean()), { maxLength: 400 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 4 }), (taken, share) => {
        const pool = new SlotPool({ slots: 64, share });
        for (const [owner, takes] of taken) {
          if (takes && pool.allows(owner)) pool.take(owner);
          else if (pool.heldBy(owner) > 0) pool.giveBack(owner);
          expect(pool.taken).toBeLessThanOrEqual(64);
          expect(pool.allows('newcomer')).toBe(true);
        }
      }),
    );
  });
});
