import { commitTo, item, LEASE, LIST, NOW, PROJECTION, view, VIEWS } from '../contracts/read-store.fixture';
import { RedisServer } from '../testing/redis/redis-server';
import { expectUnavailable, FRESH, OpenedStores } from '../testing/redis/stores';
import { Keys } from './keys';
import type { RedisReadStore } from './redis-read-store';

const keys = new Keys('counterfoil:');
const stores = new OpenedStores();
let server: RedisServer;
let store: RedisReadStore;
let version: string;

beforeAll(async () => {
  server = await RedisServer.start();
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.command('FLUSHALL');
  store = await stores.open(server.url);
  const opened = await store.open(PROJECTION, FRESH);
  version = String(opened.version);
  await commitTo(store, opened, 5n, view('k', { n: 1 }), item('forged', NOW - 1), item('honest', NOW));
});
afterEach(() => stores.close());

const NO_DOCUMENTS = ['', '{"key":', '7', 'null', '"text"', '[1]'];

it.each(NO_DOCUMENTS)('an entry of a to-do list that holds %j says nothing, and holds up no other', async (text) => {
  const { documents } = keys.ofCollection(PROJECTION, version, LIST.collection);
  await server.command('HSET', documents, 'forged', text);
  const claim = { list: LIST, nowMs: NOW, limit: 10, owner: 'w', leaseMs: LEASE };
  expect(await store.claim({ ...claim, limit: 1 })).toEqual([{ key: 'forged', document: {} }]);
  expect(await store.claim(claim)).toEqual([{ key: 'honest', document: { key: 'honest' } }]);
});

it.each(NO_DOCUMENTS)('a version with a document that holds %j is given up once somebody reads it', async (text) => {
  await server.command('HSET', keys.ofCollection(PROJECTION, version, VIEWS.collection).documents, 'k', text);
  await expectUnavailable(store.getMany(VIEWS, ['k']), /Redis holds something else/);
  expect((await store.versions(PROJECTION)).active).toBeNull();
  expect((await store.open(PROJECTION, FRESH)).checkpoint).toBeNull();
});

it.each(['at', 'from', 'stop'])('a version whose %s is not what was written is not read', async (field) => {
  await server.command('HSET', keys.meta(PROJECTION), `${version}:${field}`, '{"posi');
  await expectUnavailable(store.active(PROJECTION), /Redis holds something else/);
});
