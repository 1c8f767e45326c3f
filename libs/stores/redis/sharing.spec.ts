import { dueAtOnce, stopCommit } from '@app/event-sourcing';
import {
  commitTo,
  checkpoint,
  DECLARED,
  item,
  LEASE,
  listed,
  NOW,
  PROJECTION,
  view,
  VIEWS,
} from '@app/stores/contracts/read-store.fixture';
import { RedisServer } from '@app/stores/testing/redis/redis-server';
import { activeOf, FRESH, onceAvailable, OpenedStores, until } from '@app/stores/testing/redis/stores';
import type { RedisReadStore } from './redis-read-store';

const stores = new OpenedStores();
let server: RedisServer;
let one: RedisReadStore;
let two: RedisReadStore;

beforeAll(async () => {
  server = await RedisServer.start();
});
beforeEach(async () => {
  [one, two] = [await stores.open(server.url), await stores.open(server.url)];
});
afterEach(async () => {
  await stores.close();
  await server.command('FLUSHALL');
});
afterAll(() => server.stop());

/** What stands in the list `l`, in its order. */
async function keysOf(store: RedisReadStore): Promise<readonly string[]> {
  const page = { name: VIEWS, list: 'l', direction: 'ascending' as const, after: null, limit: 9 };
  return (await store.page(page)).map(({ key }) => key);
}

const keyCount = async () => Number(await server.command('DBSIZE'));

describe('several processes on one Redis', () => {
  it('are one installation, under the name that the first of them gave', async () => {
    expect(await one.installationId('first')).toBe('first');
    expect([await two.installationId('second'), await one.installationId('third')]).toEqual(['first', 'first']);
    await server.command('FLUSHALL');
    expect([await two.installationId('second'), await one.installationId('first')]).toEqual(['second', 'second']);
  });

  it('fence each other', async () => {
    const version = await one.open(PROJECTION, FRESH);
    expect(await two.open(PROJECTION, FRESH)).toEqual(version);
    const advanced = await commitTo(one, version, 1n, view('k', { by: 'one' }));
    const { version: number, declaredVersion } = version;
    const late = { projection: PROJECTION, version: number, declaredVersion, expected: null, next: checkpoint(1n) };
    expect(await two.commit({ ...late, writes: [view('k', { by: 'two' })] })).toBe('fenced');
    expect(await two.getMany(VIEWS, ['k'])).toEqual([{ by: 'one' }]);
    await two.restart(PROJECTION, FRESH);
    expect(await one.commit({ ...late, expected: advanced.checkpoint, writes: [] })).toBe('fenced');
    expect(await one.getMany(VIEWS, ['k'])).toEqual([null]);
  });

  it('leave no lease for ever, when nobody asks for it again', async () => {
    await one.lease({ name: 'unit', owner: 'one', nowMs: NOW, leaseMs: LEASE });
    const keys = (await server.command('KEYS', '*')) as string[];
    expect(keys).toEqual(['counterfoil:{holders:unit}']);
    const left = Number(await server.command('PTTL', keys[0]!));
    expect(left).toBeGreaterThan(LEASE);
    expect(left).toBeLessThanOrEqual(100 * LEASE);
  });

  it('see a switch of versions at once, in everything they read', async () => {
    const live = await commitTo(one, await one.open(PROJECTION, FRESH), 1n, listed('k', 'l:1'));
    expect([await two.getMany(VIEWS, ['k']), await keysOf(two)]).toEqual([[{ key: 'k' }], ['k']]);
    const built = await one.beginBuild(PROJECTION, FRESH);
    if (typeof built === 'string') throw new Error(built);
    await commitTo(one, built, 2n, listed('new', 'l:1'), listed('u', 'l:2'));
    expect([await two.getMany(VIEWS, ['k']), await keysOf(two)]).toEqual([[{ key: 'k' }], ['k']]);
    expect(await one.activate(PROJECTION, built.version)).toBe('activated');
    expect(await two.getMany(VIEWS, ['k', 'new'])).toEqual([null, { key: 'new' }]);
    expect(await keysOf(one)).toEqual(['new', 'u']);
    expect(await keysOf(two)).toEqual(['new', 'u']);
    expect(await one.getMany(VIEWS, ['k'], live.version)).toEqual([{ key: 'k' }]);
  });

  it('never hold the same lease, nor more than its seats', async () => {
    const take = (store: RedisReadStore, owner: string) =>
      store.lease({ name: 'unit', owner, nowMs: NOW, leaseMs: LEASE, seats: 3 });
    await Promise.all(Array.from({ length: 12 }, (_, n) => take(n % 2 === 0 ? one : two, `w${n}`)));
    const holders = await take(one, 'late');
    expect(new Set(holders).size).toBe(3);
    expect(await take(two, 'later')).toEqual(holders);
  });

  it('hear of what others change, and hear again after their line broke', async () => {
    const heard: string[] = [];
    two.onAdvanced((projection) => heard.push(projection));
    const version = await one.open('of some {name}', FRESH);
    await until(async () => {
      await one.commit(stopCommit(version, null));
      return heard.length > 0;
    });
    expect(new Set(heard)).toEqual(new Set(['of some {name}']));
    await server.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
    heard.length = 0;
    const advanced = await onceAvailable(() => activeOf(one).then(() => one.open(PROJECTION, FRESH)));
    await until(async () => {
      await one.commit(stopCommit(advanced, null));
      return heard.includes(PROJECTION);
    });
  });

  it('keep apart under different prefixes', async () => {
    const apart = await stores.open(server.url, { prefix: 'other:' });
    await commitTo(one, await one.open(PROJECTION, FRESH), 1n, view('k', { n: 1 }));
    expect(await activeOf(apart)).toBeNull();
    await commitTo(apart, await apart.open(PROJECTION, FRESH), 1n, view('k', { n: 2 }));
    expect([await one.getMany(VIEWS, ['k']), await apart.getMany(VIEWS, ['k'])]).toEqual([[{ n: 1 }], [{ n: 2 }]]);
    await expect(stores.open(server.url, { prefix: '{all}' })).rejects.toThrow('slot');
  });
});

describe('what somebody emptied', () => {
  it('is begun anew under a number that was never used', async () => {
    const version = await commitTo(one, await one.open(PROJECTION, FRESH), 1n, view('k', { n: 1 }));
    const restarted = await one.restart(PROJECTION, FRESH);
    await server.command('FLUSHALL');
    const anew = await two.open(PROJECTION, FRESH);
    expect(anew.version).toBeGreaterThan(restarted.version);
    expect(restarted.version).toBeGreaterThan(version.version);
    expect(await one.commit({ ...anew, ...version, expected: null, next: checkpoint(1n), writes: [] })).toBe('fenced');
    expect(await one.getMany(VIEWS, ['k'])).toEqual([null]);
  });

  it('is told as a loss by whoever finds out', async () => {
    let losses = 0;
    one.onLost(() => (losses += 1));
    await one.open(PROJECTION, FRESH);
    expect(await one.getMany(VIEWS, ['k'])).toEqual([null]);
    await server.command('FLUSHALL');
    expect(await one.getMany(VIEWS, ['k'])).toEqual([null]);
    expect(losses).toBe(1);
    expect((await one.versions(PROJECTION)).active).toBeNull();
    expect(losses).toBe(1);
  });

  it('may be the scripts alone, which nobody notices', async () => {
    const version = await commitTo(one, await one.open(PROJECTION, FRESH), 1n, view('k', { n: 1 }));
    await server.command('SCRIPT', 'FLUSH');
    const commits = Array.from({ length: 3 }, () =>
      one.commit({ ...version, expected: version.checkpoint, next: checkpoint(2n), writes: [view('k', { n: 2 })] }),
    );
    expect((await Promise.all(commits)).sort()).toEqual(['committed', 'fenced', 'fenced']);
    expect(await one.getMany(VIEWS, ['k'])).toEqual([{ n: 2 }]);
  });
});

describe('what is no longer needed', () => {
  it('goes: a dead version, piece by piece, and nothing else', async () => {
    const { declaredVersion } = FRESH;
    await commitTo(two, await two.open('other', FRESH), 1n, listed('k', 'l:1'));
    const kept = await keyCount();
    const old = Array.from({ length: 900 }, (_, n) => listed(`k${n}`, `l:${n}`, 'm:1'));
    const version = await one.open(PROJECTION, { declaredVersion, head: null, nowMs: NOW });
    await commitTo(one, version, 1n, ...old, item('t', dueAtOnce(NOW)), { ...view('x', {}), collection: 'third' });
    const renewed = await one.restart(PROJECTION, FRESH);
    await commitTo(one, renewed, 1n, view('k', { renewed: true }));
    let pieces = 0;
    while (await one.removeOld(PROJECTION)) pieces += 1;
    expect(pieces).toBeGreaterThanOrEqual(3);
    // The projection's meta, the new version's collections, and its one documents' hash.
    expect(await keyCount()).toBe(kept + 3);
    expect(await one.getMany(VIEWS, ['k'])).toEqual([{ renewed: true }]);
    expect(await one.removeOld(PROJECTION)).toBe(false);
    expect(await one.removeOld('unheard of')).toBe(false);
  });

  it('goes: everything that a document had, when it is removed', async () => {
    const version = await one.open(PROJECTION, { declaredVersion: DECLARED, head: null, nowMs: NOW });
    const empty = await keyCount();
    const keys = ['a', 'b', 'c\0\x01\x02', ''];
    const items = keys.map((key) => ({
      ...view(key, {}),
      listEntries: [
        { list: key, order: 'x' },
        { list: 'all', order: 'x' },
      ],
    }));
    const filled = await commitTo(one, version, 1n, ...items);
    const gone = items.map((write) => ({ ...write, document: null, listEntries: [] }));
    await commitTo(one, filled, 2n, ...gone);
    // But for the names of its collections.
    expect(await keyCount()).toBe(empty + 1);
  });
});
