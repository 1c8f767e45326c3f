import { describeReadStoreContract } from '@app/stores/contracts/read-store.contract';
import { RedisServer } from '@app/stores/testing/redis/redis-server';
import { RedisReadStore } from './redis-read-store';

describe.each([
  ['one server', () => RedisServer.start()],
  ['a cluster, which requires the keys of a script in one slot', () => RedisServer.startCluster()],
])('on %s', (_, start) => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await start();
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

  it('a script with keys in several slots is refused by a cluster only', async () => {
    const keys = ['2', 'a', 'b'];
    const isCluster = String(await server.command('INFO', 'cluster')).includes('cluster_enabled:1');
    const answer = server.command('EVAL', 'return 1', ...keys);
    if (isCluster) await expect(answer).rejects.toThrow('CROSSSLOT');
    else expect(await answer).toBe(1);
  });
});
