import { LIST, setUp, start, stopAll } from '@app/event-sourcing/testing/projectors';
import { dueAtOnce } from '@app/event-sourcing';
import { SystemClock } from '@app/platform/lifecycle';
import { commitTo, DECLARED, item, NOW, PROJECTION, view } from '@app/stores/contracts/read-store.fixture';
import { RedisServer } from '@app/stores/testing/redis/redis-server';
import { activeOf, FRESH, onceAvailable, OpenedStores, until } from '@app/stores/testing/redis/stores';
import { allOf, Keys } from './keys';
import type { RedisReadStore } from './redis-read-store';

const keys = new Keys('counterfoil:');
const stores = new OpenedStores();
let server: RedisServer;
let store: RedisReadStore;

beforeAll(async () => {
  server = await RedisServer.start();
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.command('FLUSHALL');
  store = await stores.open(server.url);
});
afterEach(async () => {
  await stopAll();
  await stores.close();
});

/** A version with documents and entries in several lists. */
async function filled() {
  const due = ['a', 'b', 'c'].map((key, n) => item(key, dueAtOnce(NOW + n)));
  return commitTo(store, await store.open(PROJECTION, FRESH), 5n, view('k', { n: 1 }), view('l', { n: 2 }), ...due);
}

const KINDS = ['documents', 'places', 'lists'] as const;

describe('a version that has lost data', () => {
  it.each(KINDS)('is abandoned when its %s are gone', async (kind) => {
    const { version } = await filled();
    expect((await store.versions(PROJECTION)).active).toMatchObject({ version });
    await server.command('DEL', keys.ofCollection(PROJECTION, String(version), LIST_NAME)[kind]);
    expect((await store.versions(PROJECTION)).active).toBeNull();
    expect((await store.open(PROJECTION, FRESH)).version).toBeGreaterThan(version);
  });

  it.each(KINDS)('is abandoned when one of its %s is gone', async (kind) => {
    const { version } = await filled();
    const key = keys.ofCollection(PROJECTION, String(version), LIST_NAME)[kind];
    const isHash = kind !== 'lists';
    const [first] = (await server.command(isHash ? 'HKEYS' : 'ZRANGE', key, ...(isHash ? [] : ['0', '0']))) as string[];
    expect(await server.command(isHash ? 'HDEL' : 'ZREM', key, first!)).toBe(1);
    expect((await store.versions(PROJECTION)).active).toBeNull();
  });

  it('is abandoned when the names of its collections are gone', async () => {
    const { version } = await filled();
    await server.command('DEL', keys.collections(PROJECTION, String(version)));
    expect((await store.versions(PROJECTION)).active).toBeNull();
  });

  it.each(['at', 'position', 'from', 'held:todo'])('is abandoned when its %s is gone', async (field) => {
    const { version } = await filled();
    expect(await server.command('HDEL', keys.meta(PROJECTION), `${version}:${field}`)).toBe(1);
    expect((await store.versions(PROJECTION)).active).toBeNull();
  });

  it('is abandoned even by a process that sees it for the first time, and by one that only reads', async () => {
    const { version } = await filled();
    await server.command('DEL', keys.ofCollection(PROJECTION, String(version), LIST_NAME).lists);
    const other = await stores.open(server.url);
    expect(await other.versions(PROJECTION)).toEqual({ active: null, building: null });
    expect((await store.versions(PROJECTION)).active).toBeNull();
  });

  it('accepts no commit, which would store the size of what is left', async () => {
    const version = await filled();
    await server.command('DEL', keys.ofCollection(PROJECTION, String(version.version), LIST_NAME).documents);
    const next = { position: 6n, lastEvent: null, events: 6 };
    const commit = { ...version, expected: version.checkpoint, next, writes: [item('a', dueAtOnce(NOW + 9))] };
    expect(await store.commit(commit)).toBe('fenced');
    expect((await store.versions(PROJECTION)).active).toBeNull();
  });

  it('is replaced by the version that is being built, if there is one', async () => {
    const { version } = await filled();
    const building = await store.beginBuild(PROJECTION, { declaredVersion: DECLARED, head: 9n, nowMs: 1 });
    await server.command('DEL', keys.ofCollection(PROJECTION, String(version), LIST_NAME).lists);
    expect(await store.versions(PROJECTION)).toEqual({ active: building, building: null });
  });

  it('is removed with all its remaining data', async () => {
    const { version } = await filled();
    await server.command('DEL', keys.ofCollection(PROJECTION, String(version), LIST_NAME).lists);
    await store.open(PROJECTION, FRESH);
    await store.versions(PROJECTION);
    while (await store.removeOld(PROJECTION));
    expect(await server.command('KEYS', `*v${version}*`)).toEqual([]);
    const fields = (await server.command('HKEYS', keys.meta(PROJECTION))) as string[];
    expect(fields.filter((field) => field.startsWith(String(version)))).toEqual([]);
  });
});

it('a version that is being built is abandoned without the live one', async () => {
  const { version } = await filled();
  const building = await store.beginBuild(PROJECTION, { declaredVersion: DECLARED, head: 9n, nowMs: 1 });
  if (typeof building === 'string') throw new Error(building);
  await commitTo(store, building, 5n, view('k', { n: 1 }));
  await server.command('DEL', ...allKeys(building.version));
  expect(await store.versions(PROJECTION)).toMatchObject({ active: { version }, building: null });
});

it('a version from before declared versions is read until it is rebuilt', async () => {
  const { version } = await filled();
  const meta = keys.meta(PROJECTION);
  await server.command('HSET', meta, `${version}:code`, 'a'.repeat(64));
  await server.command('HDEL', meta, `${version}:declared`, `${version}:held:todo`, `${version}:held:views`);
  const other = await stores.open(server.url);
  expect((await other.versions(PROJECTION)).active).toMatchObject({ version, declaredVersion: 0 });
  expect((await store.versions(PROJECTION)).active).toMatchObject({ version, declaredVersion: 0 });
});

it('keys evicted under a wrong policy are noticed when it is right again, and their version is rebuilt', async () => {
  const { eventStore, count } = setUp();
  const begin = () => start({ eventStore, readStore: store, clock: new SystemClock() });
  for (let n = 0; n < 40; n += 1) await count(`counter-${n}`, (n % 9) + 1);
  const totals = Array.from({ length: 40 }, (_, n) => `counter-${n}`);
  const areAllThere = async () => {
    const found = await onceAvailable(() => store.getMany(LIST, totals));
    return found.every((document, n) => document?.['total'] === (n % 9) + 1);
  };
  const fact = async (name: string) =>
    Number(new RegExp(`${name}:(\\d+)`).exec(String(await server.command('INFO', 'everything')))?.[1]);
  begin();
  await until(areAllThere);
  await stopAll();
  const before = (await store.versions(LIST.projection)).active;
  const evicted = await fact('evicted_keys');
  await server.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-random');
  let limit = await fact('used_memory');
  await until(async () => {
    await server.command('CONFIG', 'SET', 'maxmemory', String((limit -= 1_000)));
    return (await fact('evicted_keys')) > evicted;
  });
  await server.command('CONFIG', 'SET', 'maxmemory', '0');
  await server.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
  expect(await onceAvailable(() => activeOf(store, LIST.projection))).toBeNull();
  begin();
  await until(areAllThere);
  expect((await store.versions(LIST.projection)).active?.version).toBeGreaterThan(before!.version);
});

it('a new connection is reported before it answers anything, since the server may have older data', async () => {
  await filled();
  const told: string[] = [];
  store.onLost(() => told.push('may be lost'));
  await server.command('SAVE');
  await server.goAway();
  await server.comeBack();
  await onceAvailable(() => activeOf(store)).then(() => told.push('answered'));
  expect(told).toEqual(['may be lost', 'answered']);
});

const LIST_NAME = 'todo';

function allKeys(version: number): readonly [string, ...string[]] {
  const [first, ...others] = allOf(keys.ofCollection(PROJECTION, String(version), 'views'));
  return [first!, ...others];
}
