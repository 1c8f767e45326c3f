import { dueAtOnce } from '@app/event-sourcing';
import { TO_DO } from '@app/event-sourcing/reactor/to-do-entries';
import { commitTo, item, LIST, NOW, PROJECTION, view, VIEWS } from '@app/stores/contracts/read-store.fixture';
import { RedisServer } from '@app/stores/testing/redis/redis-server';
import { expectUnavailable, FRESH, OpenedStores } from '@app/stores/testing/redis/stores';
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
  await commitTo(
    store,
    opened,
    5n,
    view('k', { n: 1 }),
    item('forged', dueAtOnce(NOW - 1)),
    item('honest', dueAtOnce(NOW)),
  );
});
afterEach(() => stores.close());

const NO_DOCUMENTS = ['', '{"key":', '7', 'null', '"text"', '[1]'];

it.each(NO_DOCUMENTS)(
  'a version with an item of a to-do list that holds %j is given up once somebody reads it',
  async (text) => {
    const { documents } = keys.ofCollection(PROJECTION, version, LIST.collection);
    await server.command('HSET', documents, 'forged', text);
    const request = { name: LIST, list: TO_DO.now, direction: 'ascending' as const, after: null, limit: 10 };
    await expectUnavailable(store.page(request), /Redis holds something else/);
    expect((await store.versions(PROJECTION)).active).toBeNull();
    expect((await store.open(PROJECTION, FRESH)).checkpoint).toBeNull();
  },
);

it.each(NO_DOCUMENTS)('a version with a document that holds %j is given up once somebody reads it', async (text) => {
  await server.command('HSET', keys.ofCollection(PROJECTION, version, VIEWS.collection).documents, 'k', text);
  await expectUnavailable(store.getMany(VIEWS, ['k']), /Redis holds something else/);
  expect((await store.versions(PROJECTION)).active).toBeNull();
  expect((await store.open(PROJECTION, FRESH)).checkpoint).toBeNull();
});

it.each(['at', 'from', 'stop'])('a version whose %s is not what was written is not read', async (field) => {
  await server.command('HSET', keys.meta(PROJECTION), `${version}:${field}`, '{"posi');
  await expectUnavailable(store.versions(PROJECTION), /Redis holds something else/);
});
