import { LEASE, NOW, type ReadStoreFixture } from './read-store.fixture';

/** What is had for a time, alone or with others. */
export function describeLeases(t: ReadStoreFixture): void {
  const lease = (owner: string, nowMs = NOW, name = 'unit') => t.store.lease({ name, owner, nowMs, leaseMs: LEASE });
  const giveBack = (owner: string, nowMs = NOW) => t.store.lease({ name: 'unit', owner, nowMs, leaseMs: 0 });

  describe('a lease', () => {
    it('is held by one until it ends, to the millisecond', async () => {
      expect(await lease('one')).toEqual(['one']);
      expect(await lease('two')).toEqual(['one']);
      expect(await lease('two', NOW, 'other')).toEqual(['two']);
      expect(await lease('two', NOW + LEASE - 1)).toEqual(['one']);
      expect(await lease('two', NOW + LEASE)).toEqual(['two']);
      expect(await lease('one', NOW + LEASE)).toEqual(['two']);
    });

    it('is lengthened by its holder', async () => {
      await lease('one');
      expect(await lease('one', NOW + LEASE / 2)).toEqual(['one']);
      expect(await lease('two', NOW + LEASE)).toEqual(['one']);
      expect(await lease('two', NOW + LEASE + LEASE / 2)).toEqual(['two']);
    });

    it('is void where it would last for more than twice its time: the clock was put back', async () => {
      await lease('one');
      expect(await lease('two', NOW - LEASE)).toEqual(['one']);
      expect(await lease('two', NOW - LEASE - 1)).toEqual(['two']);
      expect(await lease('one', NOW - LEASE - 1)).toEqual(['two']);
    });

    it('is given back by its holder alone, which changes nothing else', async () => {
      await lease('one');
      expect(await giveBack('two')).toEqual(['one']);
      // What such a call cannot know to be void stays.
      expect(await giveBack('two', NOW - 5 * LEASE)).toEqual(['one']);
      expect(await lease('two')).toEqual(['one']);
      expect(await giveBack('one')).toEqual([]);
      expect(await giveBack('one')).toEqual([]);
      expect(await lease('two')).toEqual(['two']);
      expect(await giveBack('one', NOW + LEASE)).toEqual([]);
    });

    it('goes to one of many that ask at once', async () => {
      const answers = await Promise.all(Array.from({ length: 9 }, (_, n) => lease(`o${n}`)));
      expect(new Set(answers.map(([holder]) => holder)).size).toBe(1);
      expect(answers.every((holders) => holders.length === 1)).toBe(true);
    });
  });

  describe('a lease with seats', () => {
    const take = (owner: string, nowMs = NOW, seats = 2) =>
      t.store.lease({ name: 'unit', owner, nowMs, leaseMs: LEASE, seats });

    it('has so many holders at a time, and tells who they are, sorted', async () => {
      expect(await take('b')).toEqual(['b']);
      expect(await take('a', NOW + 1)).toEqual(['a', 'b']);
      expect(await take('c', NOW + 2)).toEqual(['a', 'b']);
      expect(await take('b', NOW + 3)).toEqual(['a', 'b']);
      expect(await take('c', NOW + LEASE + 1)).toEqual(['b', 'c']);
      expect(await take('a', NOW + LEASE + 2)).toEqual(['b', 'c']);
    });

    it('goes on where seats were taken away, until those who have one give it back', async () => {
      for (const owner of ['a', 'b', 'c']) await take(owner, NOW, 3);
      expect(await take('b', NOW, 1)).toEqual(['a', 'b', 'c']);
      expect(await take('d', NOW, 3)).toEqual(['a', 'b', 'c']);
      await giveBack('a');
      expect(await take('d', NOW, 2)).toEqual(['b', 'c']);
      await giveBack('b');
      expect(await take('d', NOW, 2)).toEqual(['c', 'd']);
    });

    it('has as many as ask where there is no end of seats', async () => {
      const many = Array.from({ length: 30 }, (_, n) => `o${n + 10}`);
      await Promise.all(many.map((owner) => take(owner, NOW, Number.MAX_SAFE_INTEGER)));
      expect(await take('o10', NOW, Number.MAX_SAFE_INTEGER)).toEqual(many);
    });

    it('forgets those who took theirs under a later clock', async () => {
      await take('a');
      expect(await take('b', NOW - LEASE)).toEqual(['a', 'b']);
      expect(await take('c', NOW - LEASE - 1)).toEqual(['b', 'c']);
    });
  });
}
