import { describeReadStoreContract } from '../contracts/read-store.contract';
import { RedisServer } from '../testing/redis/redis-server';
import { RedisReadStore } from './redis-read-store';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});
afterAll(() => server.stop());

describeReadStoreContract('RedisReadStore', async () => {
  const store = await RedisReadStore.open({ url: server.url });
  const dispose = async (): Promise<void> => {
    await store.close();
    await server.command('FLUSHALL');
  };
  return { store, dispose };
});
