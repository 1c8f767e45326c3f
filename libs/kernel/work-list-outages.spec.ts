import { settle } from '@app/runtime/testing';
import { ReadStoreUnavailableError } from './errors';
import { LIST, setUp, START_MS, stopAll } from './testing/work-list';
import { LEASE_MS } from './work-list';

afterEach(stopAll);

const AWAY = 'the store does not answer';
const away = () => Promise.reject(new ReadStoreUnavailableError(AWAY));

describe('a read store that was away for a moment', () => {
  it.each(['claim', 'nextDueAtMs', 'renew'] as const)(
    'on %s delays nothing by an item that hangs, whose claim is renewed',
    async (method) => {
      const { write, run, clock, readStore, started, outages, claimOfAnother } = await setUp();
      await write('hangs', START_MS);
      void run();
      await settle();
      await write('next', START_MS + 3_000);
      const original = readStore[method].bind(readStore);
      Object.assign(readStore, { [method]: away });
      await clock.advance(3_000);
      Object.assign(readStore, { [method]: original });
      await clock.advance(600);
      expect(outages).toContain(AWAY);
      expect(started).toEqual(['hangs', 'next']);
      for (let elapsedMs = 0; elapsedMs < 2 * LEASE_MS; elapsedMs += 1_000) {
        await clock.advance(1_000);
        expect(await claimOfAnother()).toEqual([]);
      }
      expect(started).toEqual(['hangs', 'next']);
    },
  );

  it('has claims renewed right after its return, before their leases end', async () => {
    const { write, run, clock, readStore, outages, claimOfAnother } = await setUp();
    await write('hangs', START_MS);
    void run();
    await settle();
    const renew = readStore.renew.bind(readStore);
    readStore.renew = away;
    await clock.advance(LEASE_MS - 500);
    expect(new Set(outages)).toEqual(new Set([AWAY]));
    readStore.renew = renew;
    await clock.advance(500);
    expect(await claimOfAnother()).toEqual([]);
  });

  it('has what one claim brought begun at once where the next one failed', async () => {
    const { write, run, clock, readStore, started } = await setUp({
      share: async () => ['m1', 'm2'].map((group) => ({ list: LIST, group, limit: 1 })),
    });
    await write('a', START_MS, 'm1');
    await write('b', START_MS, 'm2');
    const claim = readStore.claim.bind(readStore);
    readStore.claim = async (request) => (request.group === 'm1' ? claim(request) : away());
    void run();
    await settle();
    expect(started).toEqual(['a']);
    readStore.claim = claim;
    await clock.advance(600);
    expect(started).toEqual(['a', 'b']);
  });

  it('does not keep the work from stopping', async () => {
    const { write, run, readStore, inHand, outages, stop } = await setUp();
    await write('a', START_MS);
    const ended = run();
    await settle();
    Object.assign(readStore, { renew: away, claim: away, nextDueAtMs: away, release: away });
    stop.abort();
    inHand.get('a')!.done(17n);
    expect(await ended).toBe('ended');
    expect(outages).toContain(AWAY);
  });
});
