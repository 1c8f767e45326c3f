import { ReadStoreUnavailableError } from '@app/event-sourcing';
import {
  commitTo,
  checkpoint,
  LEASE,
  listed,
  NOW,
  PROJECTION,
  view,
  VIEWS,
} from '@app/stores/contracts/read-store.fixture';
import { CuttingProxy } from '@app/stores/testing/cutting-proxy';
import { RedisServer } from '@app/stores/testing/redis/redis-server';
import {
  activeOf,
  expectUnavailable,
  FRESH,
  onceAvailable,
  OpenedStores,
  SHORT_TIMES,
  until,
} from '@app/stores/testing/redis/stores';
import { reasonOf } from './failures';
import type { RedisReadStore } from './redis-read-store';

const PAGE = { name: VIEWS, list: 'l', direction: 'ascending' as const, after: null, limit: 1 };
const stores = new OpenedStores(SHORT_TIMES);
let server: RedisServer;
let store: RedisReadStore;

beforeEach(async () => {
  server = await RedisServer.start();
  store = await stores.open(server.url);
});
afterEach(async () => {
  server.thaw();
  await stores.close();
  await server.stop();
});

describe('an unavailable Redis', () => {
  it('makes every call fail at once, and is used again when it is back', async () => {
    await store.open(PROJECTION, FRESH);
    await server.goAway();
    const calls = [
      () => store.open(PROJECTION, FRESH),
      () => store.versions(PROJECTION),
      () => store.getMany(VIEWS, ['k']),
      () => store.page(PAGE),
      () => store.lease({ name: 'lease', owner: 'w', nowMs: NOW, leaseMs: LEASE }),
      () => store.removeOld(PROJECTION),
    ];
    for (const call of calls) await expectUnavailable(call(), /the connection to Redis broke|Redis is away/);
    await until(() => store.problem() === 'Redis is away (ECONNREFUSED)');

    await server.comeBack();
    expect(await onceAvailable(() => activeOf(store))).toBeNull();
    await until(() => store.problem() === null);
    const version = await store.open(PROJECTION, FRESH);
    await commitTo(store, version, 1n, view('k', { n: 1 }));
    expect(await store.getMany(VIEWS, ['k'])).toEqual([{ n: 1 }]);
  });

  it('at the start is no failure', async () => {
    await server.goAway();
    const late = await stores.open(server.url);
    await expectUnavailable(late.open(PROJECTION, FRESH), /Redis is away \(ECONNREFUSED\)/);
    await server.comeBack();
    expect(await onceAvailable(() => late.open(PROJECTION, FRESH))).toMatchObject({ checkpoint: null });
  });

  it('fails every waiting call when it goes away', async () => {
    await store.open(PROJECTION, FRESH);
    server.freeze();
    const waiting = Promise.allSettled(Array.from({ length: 50 }, (_, n) => store.getMany(VIEWS, [`k${n}`])));
    await server.goAway();
    for (const outcome of await waiting)
      expect(outcome).toMatchObject({ reason: expect.any(ReadStoreUnavailableError) });
  });

  it('differs from a closed store', async () => {
    await Promise.all([store.close(), store.close()]);
    await expectUnavailable(activeOf(store), /^The read store is closed$/);
  });
});

describe('a Redis that does not answer', () => {
  it('is dropped after the time-out of a command, and used again when it answers', async () => {
    await commitTo(store, await store.open(PROJECTION, FRESH), 1n, view('k', { n: 1 }));
    server.freeze();
    await expectUnavailable(store.getMany(VIEWS, ['k']), /did not answer within 400 ms/);
    await until(() => store.problem() !== null);
    server.thaw();
    expect(await onceAvailable(() => store.getMany(VIEWS, ['k']))).toEqual([{ n: 1 }]);
  });

  it('at the start is no failure', async () => {
    server.freeze();
    const late = await stores.open(server.url);
    await expectUnavailable(late.open(PROJECTION, FRESH), /Redis/);
    server.thaw();
    expect(await onceAvailable(() => late.open(PROJECTION, FRESH))).toMatchObject({ checkpoint: null });
  });

  it('may be slow: a pause that ends in time is waited for', async () => {
    await store.open(PROJECTION, FRESH);
    await server.command('CLIENT', 'PAUSE', '150', 'ALL');
    expect(await activeOf(store)).toMatchObject({ checkpoint: null });
    await server.command('CLIENT', 'PAUSE', '2000', 'ALL');
    await expectUnavailable(activeOf(store), /did not answer within 400 ms|Redis is away/);
  });
});

describe('a broken connection to Redis', () => {
  it('after a successful commit causes the same commit to be fenced', async () => {
    const proxy = await CuttingProxy.to(server.port);
    const far = await stores.open(`redis://127.0.0.1:${proxy.port}`);
    // The server already knows the script, so one command is enough.
    const version = await commitTo(far, await far.open(PROJECTION, FRESH), 1n);
    proxy.holdAnswers();
    const next = checkpoint(2n);
    const { version: number, declaredVersion, checkpoint: expected } = version;
    const writes = [view('k', { n: 1 }), listed('t', 'l:1')];
    const again = { projection: PROJECTION, version: number, declaredVersion, expected, next, writes };
    await expectUnavailable(far.commit(again), /did not answer|broke|away/);
    proxy.cut();
    expect(await onceAvailable(() => far.commit(again))).toBe('fenced');
    expect(await activeOf(far)).toEqual({ ...version, checkpoint: next });
    expect(await far.getMany(VIEWS, ['k'])).toEqual([{ n: 1 }]);
    expect(await far.page(PAGE)).toHaveLength(1);
    await proxy.goAway();
  });

  it('in the middle of a large answer returns no part of it', async () => {
    const proxy = await CuttingProxy.to(server.port);
    const far = await stores.open(`redis://127.0.0.1:${proxy.port}`);
    const keys = Array.from({ length: 200 }, (_, n) => `k${n}`);
    const writes = keys.map((key) => view(key, { text: 'x'.repeat(1_000) }));
    await commitTo(far, await far.open(PROJECTION, FRESH), 1n, ...writes);
    proxy.cutAfter(50_000);
    await expectUnavailable(far.getMany(VIEWS, keys), /broke|away/);
    expect(await onceAvailable(() => far.getMany(VIEWS, keys))).toHaveLength(200);
    await proxy.goAway();
  });
});

describe('a Redis that is full', () => {
  it('accepts no part of a commit, still serves reads, and accepts commits again when it has space', async () => {
    const before = await commitTo(
      store,
      await store.open(PROJECTION, FRESH),
      1n,
      view('k', { n: 1 }),
      listed('t', 'l:1'),
    );
    await server.command('CONFIG', 'SET', 'maxmemory', '1');
    const { version, declaredVersion, checkpoint: expected } = before;
    const removal = view('t', null);
    const writes = [removal, view('k', { n: 2 })];
    const late = { projection: PROJECTION, version, declaredVersion, expected, next: checkpoint(2n), writes };
    await expectUnavailable(store.commit(late), /^Committing: Redis is full \(OOM /);
    await expectUnavailable(store.commit({ ...late, writes: [removal] }), /Redis is full/);
    const lease = { name: 'lease', owner: 'w', nowMs: NOW, leaseMs: LEASE };
    // Commits that need no more memory still succeed.
    expect(await store.lease(lease)).toEqual(['w']);
    await expectUnavailable(store.restart(PROJECTION, FRESH), /Redis is full/);
    expect(await activeOf(store)).toEqual(before);
    expect(await store.getMany(VIEWS, ['k'])).toEqual([{ n: 1 }]);
    expect(await store.page(PAGE)).toMatchObject([{ key: 't', order: '1' }]);
    await until(() => store.problem() === 'Redis is full');

    await server.command('CONFIG', 'SET', 'maxmemory', '0');
    expect(await store.commit(late)).toBe('committed');
    expect([await store.getMany(VIEWS, ['k']), await store.page(PAGE)]).toEqual([[{ n: 2 }], []]);
    await until(() => store.problem() === null);
  });

  it('has a prefix of whole commits when it fills up under a projector', async () => {
    let version = await store.open(PROJECTION, FRESH);
    const used = /used_memory:(\d+)/.exec(String(await server.command('INFO', 'memory')))?.[1];
    await server.command('CONFIG', 'SET', 'maxmemory', String(Number(used) + 2_000_000));
    const text = 'x'.repeat(10_000);
    const fill = async () => {
      for (let n = 1; n < 1_000; n += 1) {
        const writes = Array.from({ length: 10 }, (_, each) => view(`k${n}-${each}`, { text }));
        version = await commitTo(store, version, BigInt(n), ...writes, view('last', { n }));
      }
    };
    await expect(fill()).rejects.toThrow(/Redis is full/);
    const n = Number(version.checkpoint?.position);
    expect(await activeOf(store)).toEqual(version);
    expect(await store.getMany(VIEWS, ['last', `k${n}-9`, `k${n + 1}-0`])).toEqual([{ n }, { text }, null]);
  });
});

describe('a Redis that is a replica', () => {
  it('is reported as such, and dropped for the server that replaces it', async () => {
    const version = await store.open(PROJECTION, FRESH);
    await server.command('REPLICAOF', '127.0.0.1', '1');
    await expectUnavailable(store.restart(PROJECTION, FRESH), /a read-only replica|away/);
    await until(() => store.problem() === 'Redis is a read-only replica');
    await server.command('REPLICAOF', 'NO', 'ONE');
    const restarted = await onceAvailable(() => store.restart(PROJECTION, FRESH));
    expect(restarted.version).toBeGreaterThan(version.version);
  });
});

describe('the message of a failure', () => {
  it('contains no password and no document', async () => {
    await server.command('CONFIG', 'SET', 'requirepass', 'right-secret');
    const wrong = await stores.open(server.url.replace('://', '://:wrong-secret@'));
    const error: unknown = await wrong.open(PROJECTION, FRESH).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: expect.stringMatching(/WRONGPASS|Redis is away/) });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error)) + String(wrong.problem())).not.toContain('secret');
    const right = await stores.open(server.url.replace('://', '://:right-secret@'));
    expect(await right.open(PROJECTION, FRESH)).toMatchObject({ checkpoint: null });
  });

  it.each([
    ['LOADING Redis is loading the dataset in memory', /still loading its data/],
    ['MOVED 3999 127.0.0.1:6381', /one node of a cluster/],
    ['MISCONF Errors writing to the AOF file', /cannot save its data/],
    ['ERR something else', /refused the command \(ERR something else\)/],
  ])('explains %s', (message, meaning) => {
    const error = Object.assign(new Error(message), { name: 'ReplyError' });
    expect(reasonOf(error, SHORT_TIMES.commandTimeoutMs)).toMatch(meaning);
  });
});
