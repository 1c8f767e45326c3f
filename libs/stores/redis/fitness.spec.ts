import { PROJECTION } from '@app/stores/contracts/read-store.fixture';
import { RedisServer } from '@app/stores/testing/redis/redis-server';
import {
  activeOf,
  expectUnavailable,
  FRESH,
  onceAvailable,
  OpenedStores,
  until,
} from '@app/stores/testing/redis/stores';
import { RedisRefusedError } from './failures';
import { RedisReadStore } from './redis-read-store';
import { whyUnfit } from './server-facts';

const stores = new OpenedStores();
let server: RedisServer;

beforeEach(async () => {
  server = await RedisServer.start();
});
afterEach(async () => {
  await stores.close();
  await server.stop();
});

describe('a Redis with an eviction policy', () => {
  it.each(['allkeys-lru', 'volatile-ttl'])('of %s is refused at the start', async (policy) => {
    await server.command('CONFIG', 'SET', 'maxmemory-policy', policy);
    const opened = RedisReadStore.open({ url: server.url });
    await expect(opened).rejects.toThrow(RedisRefusedError);
    await expect(opened).rejects.toMatchObject({
      problem: `leads to a Redis that has the eviction policy ${policy}, which must be noeviction`,
    });
  });

  it('is not used if it was unavailable at the start', async () => {
    await server.goAway();
    const store = await stores.open(server.url);
    await server.comeBack('--maxmemory-policy', 'allkeys-random');
    await until(() => store.problem()?.includes('allkeys-random') ?? false);
    await expectUnavailable(store.open(PROJECTION, FRESH), /eviction policy allkeys-random, which must be noeviction/);
    expect(await server.command('DBSIZE')).toBe(0);
  });

  it('set at run time is not used until the policy is changed back', async () => {
    const store = await stores.open(server.url);
    const version = await store.open(PROJECTION, FRESH);
    await server.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lfu');
    await until(() => store.problem() !== null);
    await expectUnavailable(activeOf(store), /allkeys-lfu/);
    await server.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    expect(await onceAvailable(() => activeOf(store))).toEqual(version);
    await until(() => store.problem() === null);
  });
});

describe('whyUnfit', () => {
  const info = (...lines: readonly string[]) => ['# Memory', ...lines, ''].join('\r\n');

  it.each([
    [info('redis_version:7.0.15', 'maxmemory_policy:noeviction'), null],
    [info('redis_version:6.2.0', 'maxmemory_policy:noeviction'), null],
    [info('redis_version:10.1.0', 'maxmemory_policy:noeviction'), null],
    [info('redis_version:6.0.16', 'maxmemory_policy:noeviction'), 'has version 6.0.16; 6.2 or later is needed'],
    [info('maxmemory_policy:noeviction'), 'has version unknown; 6.2 or later is needed'],
    [info('redis_version:7.0.15'), 'does not report its eviction policy, which must be noeviction'],
  ])('returns for %j: %j', (text, why) => expect(whyUnfit(text)).toBe(why));
});

describe('an address', () => {
  it.each([
    'http://127.0.0.1',
    'redis://',
    'redis://:secret@host:port',
    'redis://host/name',
    'redis://host?enableOfflineQueue=true',
  ])('such as %s is refused without being quoted', async (url) => {
    const error: unknown = await RedisReadStore.open({ url }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RedisRefusedError);
    expect(String(error)).not.toContain('secret');
  });

  it('may contain a user, a password and a database', async () => {
    await server.command('ACL', 'SETUSER', 'ledger', 'on', '>pass:word', '~*', '&*', '+@all');
    const store = await stores.open(`redis://ledger:pass%3Aword@127.0.0.1:${server.port}/3`);
    await store.open(PROJECTION, FRESH);
    expect(await server.command('DBSIZE')).toBe(0);
    expect(String(await server.command('INFO', 'keyspace'))).toContain('db3:keys=1');
  });
});
