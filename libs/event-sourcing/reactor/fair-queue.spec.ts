import fc from 'fast-check';
import { FairQueue, type Slot, type QueuedItem, type QueueLimits } from './fair-queue';
import { SlotPool } from './slot-pool';

const ROOMY: QueueLimits = { poolsOf: () => [], ofGroup: () => Infinity };

function item(key: string, group: string, dueAtMs = 0): QueuedItem {
  return { key, group, dueAtMs };
}

function limits(slots: number, share = 1_000): QueueLimits {
  const pool = new SlotPool({ slots, share });
  return { poolsOf: () => [pool], ofGroup: () => Infinity };
}

/** Takes out what may begin, in turn. */
function takeAll(queue: FairQueue<QueuedItem>): readonly string[] {
  const keys: string[] = [];
  for (let next = queue.next(); next !== null; next = queue.next()) keys.push(next.item.key);
  return keys;
}

describe('turns', () => {
  it('go to what is due longest where all is of one group', () => {
    const queue = new FairQueue(ROOMY);
    for (const [key, dueAtMs] of Object.entries({ c: 3, a: 1, d: 4, b: 2 })) queue.push(item(key, 'm|g', dueAtMs));
    expect(takeAll(queue)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('go round between owners, and there between groups, however much one of them has', () => {
    const queue = new FairQueue(ROOMY);
    for (let n = 0; n < 4; n += 1) queue.push(item(`a${n}`, 'a|1', n));
    for (let n = 0; n < 2; n += 1) queue.push(item(`A${n}`, 'a|2', 10 + n));
    queue.push(item('b', 'b', 99));
    expect(takeAll(queue)).toEqual(['a0', 'b', 'A0', 'a1', 'A1', 'a2', 'a3']);
  });

  it('go to whoever has fewer in hand, and has waited longest', () => {
    const queue = new FairQueue(limits(2));
    for (let n = 0; n < 3; n += 1) for (const owner of ['a', 'b', 'c']) queue.push(item(`${owner}${n}`, owner, n));
    const order: string[] = [];
    let hand: Slot[] = [];
    for (;;) {
      const next = queue.next();
      if (next === null && hand.length === 0) break;
      if (next === null) {
        hand.shift()?.leave();
        continue;
      }
      order.push(next.item.key);
      hand = [...hand, next.slot];
    }
    expect(order).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
  });

  it('pass over what may not begin', () => {
    const queue = new FairQueue(ROOMY);
    queue.push(item('held', 'a'));
    queue.push(item('free', 'b'));
    expect(queue.next(({ key }) => key !== 'held')?.item.key).toBe('free');
    expect(queue.next(({ key }) => key !== 'held')).toBeNull();
    expect(queue.size).toBe(1);
  });
});

describe('an item', () => {
  it('takes the slot of the one with the same key', () => {
    const queue = new FairQueue(ROOMY);
    queue.push(item('k', 'a', 1));
    queue.push(item('k', 'b', 2));
    expect(queue.get('k')).toEqual(item('k', 'b', 2));
    expect(takeAll(queue)).toEqual(['k']);
  });

  it('can be taken back', () => {
    const queue = new FairQueue(ROOMY);
    for (const key of ['a', 'b', 'c']) queue.push(item(key, 'm'));
    queue.remove('b');
    queue.remove('unknown');
    expect(takeAll(queue)).toEqual(['a', 'c']);
  });

  it('goes without where there is no room, and that of the owner with the most first', () => {
    const queue = new FairQueue(ROOMY, 4);
    for (let n = 0; n < 5; n += 1) queue.push(item(`a${n}`, 'a', n));
    expect([queue.size, queue.overflows]).toEqual([4, 1]);
    queue.push(item('b0', 'b'));
    queue.push(item('b1', 'b'));
    queue.push(item('b2', 'b'));
    expect(queue.overflows).toBe(4);
    expect(takeAll(queue)).toEqual(['a0', 'b0', 'a1', 'b1']);
    expect(queue.hasRoom).toBe(true);
  });
});

describe('a slot', () => {
  it('is exchanged for one of the group that the item truly belongs to, where that has one', () => {
    const queue = new FairQueue<QueuedItem>({ poolsOf: () => [], ofGroup: () => 1 });
    queue.push(item('k', 'forged'));
    queue.push(item('l', 'true'));
    const [first, second] = [queue.next(), queue.next()];
    expect(first?.slot.move('true')).toBe(false);
    second?.slot.leave();
    expect(second?.slot.move('true')).toBe(true);
    expect(second?.slot.group).toBe('true');
    queue.push(item('m', 'forged'));
    queue.push(item('n', 'true'));
    expect(takeAll(queue)).toEqual(['m']);
  });

  it('is given back once', () => {
    const queue = new FairQueue<QueuedItem>(limits(1));
    queue.push(item('k', 'a'));
    queue.push(item('l', 'a'));
    queue.push(item('m', 'a'));
    const first = queue.next();
    first?.slot.leave();
    first?.slot.leave();
    expect([queue.next()?.item.key, queue.next()]).toEqual(['l', null]);
  });
});

it('never exceeds its limits, never starves an owner that may begin, and forgets nothing, whatever happens', () => {
  const owners = ['a|1', 'a|2', 'b|1', 'c'];
  const step = fc.oneof(
    fc.record({ push: fc.constantFrom(...owners) }),
    fc.record({ end: fc.nat(9) }),
    fc.constant('take' as const),
  );
  const run = (steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[]) => {
    const pool = new SlotPool({ slots: 5, share: 2 });
    const queue = new FairQueue<QueuedItem>({ poolsOf: () => [pool], ofGroup: () => 2 });
    const [hand, waiting]: [{ group: string; slot: Slot }[], string[]] = [[], []];
    let pushed = 0;
    for (const one of steps) {
      if (one === 'take') {
        const next = queue.next();
        if (next !== null) {
          hand.push({ group: next.item.group, slot: next.slot });
          waiting.splice(waiting.indexOf(next.item.group), 1);
        } else {
          const mayBegin = (group: string) =>
            pool.allows(group.charAt(0)) && hand.filter((held) => held.group === group).length < 2;
          expect(waiting.filter(mayBegin)).toEqual([]);
        }
      } else if ('push' in one) {
        queue.push(item(`k${(pushed += 1)}`, one.push, pushed));
        waiting.push(one.push);
      } else if (hand.length > 0) {
        hand.splice(one.end % hand.length, 1)[0]?.slot.leave();
      }
      expect(pool.taken).toBe(hand.length);
      expect(hand.length).toBeLessThanOrEqual(5);
      expect(queue.size).toBe(waiting.length);
      for (const group of owners) expect(hand.filter((held) => held.group === group).length).toBeLessThanOrEqual(2);
    }
  };
  fc.assert(fc.property(fc.array(step, { maxLength: 60 }), run), { numRuns: 300 });
});
