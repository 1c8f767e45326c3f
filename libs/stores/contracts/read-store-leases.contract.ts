import { LEASE, NOW, type ReadStoreFixture } from './read-store.fixture';

/** Leases, with one or several holders. */
export function describeLeases(t: ReadStoreFixture): void {
  const lease = (owner: string, nowMs = NOW, name = 'unit') => t.store.lease({ name, owner, nowMs, leaseMs: LEASE });
  const giveBack = (owner: string, nowMs = NOW) => t.store.lease({ name: 'unit', owner, nowMs, leaseMs: 0 });

  describe('a lease', () => {
    it('is held by one owner until it expires, to the millisecond', async () => {
      expect(await lease('one')).toEqual(['one']);
      expect(await lease('two')).toEqual(['one']);
      expect(await lease('two', NOW, 'other')).toEqual(['two']);
      expect(await lease('two', NOW + LEASE - 1)).toEqual(['one']);
      expect(await lease('two', NOW + LEASE)).toEqual(['two']);
      expect(await lease('one', NOW + LEASE)).toEqual(['two']);
    });

    it('is renewed by its holder', async () => {
      await lease('one');
      expect(await lease('one', NOW + LEASE / 2)).toEqual(['one']);
      expect(await lease('two', NOW + LEASE)).toEqual(['one']);
      expect(await lease('two', NOW + LEASE + LEASE / 2)).toEqual(['two']);
    });

    it('is void if more than twice its length is left, since the clock was set back', async () => {
      await lease('one');
      expect(await lease('two', NOW - LEASE)).toEqual(['one']);
      expect(await lease('two', NOW - LEASE - 1)).toEqual(['two']);
      expect(await lease('one', NOW - LEASE - 1)).toEqual(['two']);
    });

    it('is released only by its holder, which changes nothing else', async () => {
      await lease('one');
      expect(await giveBack('two')).toEqual(['one']);
      // Such a call cannot know whether other leases are void, so they stay.
      expect(await giveBack('two', NOW - 5 * LEASE)).toEqual(['one']);
      expect(await lease('two')).toEqual(['one']);
      expect(await giveBack('one')).toEqual([]);
      expect(await giveBack('one')).toEqual([]);
      expect(await lease('two')).toEqual(['two']);
      expect(await giveBack('one', NOW + LEASE)).toEqual([]);
    });

    it('goes to one of many simultaneous requests', async () => {
      const answers = await Promise.all(Array.from({ length: 9 }, (_, n) => lease(`o${n}`)));
      expect(new Set(answers.map(([holder]) => holder)).size).toBe(1);
      expect(answers.every((holders) => holders.length === 1)).toBe(true);
    });
  });

  describe('a lease with seats', () => {
    const take = (owner: string, nowMs = NOW, seats = 2) =>
      t.store.lease({ name: 'unit', owner, nowMs, leaseMs: LEASE, seats });

    it('has at most that many holders at a time, and returns them sorted', async () => {
      expect(await take('b')).toEqual(['b']);
      expect(await take('a', NOW + 1)).toEqual(['a', 'b']);
      expect(await take('c', NOW + 2)).toEqual(['a', 'b']);
      expect(await take('b', NOW + 3)).toEqual(['a', 'b']);
      expect(await take('c', NOW + LEASE + 1)).toEqual(['b', 'c']);
      expect(await take('a', NOW + LEASE + 2)).toEqual(['b', 'c']);
    });

    it('keeps its holders when seats are reduced, until they release it', async () => {
      for (const owner of ['a', 'b', 'c']) await take(owner, NOW, 3);
      expect(await take('b', NOW, 1)).toEqual(['a', 'b', 'c']);
      expect(await take('d', NOW, 3)).toEqual(['a', 'b', 'c']);
      await giveBack('a');
      expect(await take('d', NOW, 2)).toEqual(['b', 'c']);
      await giveBack('b');
      expect(await take('d', NOW, 2)).toEqual(['c', 'd']);
    });

    it('has any number of holders with unlimited seats', async () => {
      const many = Array.from({ length: 30 }, (_, n) => `o${n + 10}`);
      await Promise.all(many.map((owner) => take(owner, NOW, Number.MAX_SAFE_INTEGER)));
      expect(await take('o10', NOW, Number.MAX_SAFE_INTEGER)).toEqual(many);
    });

    it('forgets holders that took it under a later clock', async () => {
      await take('a');
      expect(await take('b', NOW - LEASE)).toEqual(['a', 'b']);
      expect(await take('c', NOW - LEASE - 1)).toEqual(['b', 'c']);
    });
  });
}
