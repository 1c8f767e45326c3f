import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROJECTIONS } from '../../apps/counterfoil/projections';
import { Deployment } from '../support/deployment';
import { bodyOf } from '../support/payments';
import { eventually } from '../support/service';
import { Work } from '../support/work';

/** As long as it may take somebody to notice what they have set. */
const EVICTING_MS = 2_500;
/** What a version's keys are called behind its number, and all else that is kept of a projection. */
const KINDS = ['documents', 'places', 'lists'];
const OTHERS = ['meta', 'dead'];

let roles: Deployment;
let work: Work | undefined;

beforeEach(async () => {
  work = undefined;
  roles = await Deployment.start({ api: 1, projector: 2, processor: 2, webhooks: 2 });
  work = await Work.start('lost parts', roles);
});

afterEach(async () => {
  await work?.end();
  await roles.end();
});

const keysLike = async (pattern: string) => (await roles.redis.command('KEYS', pattern)) as readonly string[];

async function remove(pattern: string): Promise<void> {
  for (const key of await keysLike(pattern)) await roles.redis.command('DEL', key);
}

/** Balances as they are shown and as the log has them, once they are shown. */
async function expectAllDone(): Promise<void> {
  expect(await work!.problems()).toEqual([]);
  const answer = await eventually(
    'the balances',
    async () => {
      const balances = await work!.client.send('GET', '/api/v2/balances', undefined, {}, false);
      return balances.status === 200 && balances;
    },
    300_000,
  );
  expect(bodyOf<{ items: unknown[] }>(answer, 200).items.length).toBeGreaterThan(0);
  expect(new Set(await roles.stop())).toEqual(new Set([0]));
}

it('leaves nothing undone and shows no part where Redis evicts for a while, under load, and the policy is then put right', async () => {
  const { load } = work!;
  for (const policy of ['allkeys-random', 'allkeys-lru']) {
    await load.progress(40);
    const used = Number(/^used_memory:(\d+)/m.exec(String(await roles.redis.command('INFO', 'memory')))?.[1]);
    await roles.redis.command('CONFIG', 'SET', 'maxmemory-policy', policy);
    await roles.redis.command('CONFIG', 'SET', 'maxmemory', String(used - 50_000));
    await sleep(EVICTING_MS);
    await roles.redis.command('CONFIG', 'SET', 'maxmemory', '0');
    await roles.redis.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
  }
  await load.progress(40);
  expect(String(await roles.redis.command('INFO', 'stats'))).not.toMatch(/^evicted_keys:0\r?$/m);
  await expectAllDone();
}, 900_000);

it('leaves nothing undone and shows no part where keys of each kind are removed by hand, under load', async () => {
  const { load } = work!;
  for (const kind of KINDS) {
    await load.progress(10);
    await remove(`counterfoil:{*}:v*:${kind}:*`);
  }
  for (const kind of OTHERS) {
    await load.progress(10);
    await remove(`counterfoil:{*}:${kind}*`);
  }
  await load.progress(20);
  await expectAllDone();
}, 900_000);

it('leaves nothing undone and shows no part where all of one projection is removed by hand, and then a half of all there is', async () => {
  const { load } = work!;
  for (const { name } of PROJECTIONS) {
    await load.progress(20);
    await remove(`counterfoil:{${name}:*`);
  }
  await load.progress(20);
  const all = await keysLike('counterfoil:*');
  for (const key of all.filter((_key, index) => index % 2 === 0)) await roles.redis.command('DEL', key);
  await load.progress(20);
  await expectAllDone();
}, 900_000);

it('leaves nothing undone and shows nothing of before where every process is started over an older dump', async () => {
  const { load, client } = work!;
  await load.progress(40);
  await roles.redis.command('SAVE');
  const [dump, kept] = ['dump.rdb', 'kept.rdb'].map((name) => join(roles.redis.directory, name)) as [string, string];
  copyFileSync(dump, kept);
  await load.progress(60);
  const counts = { api: 1, projector: 2, processor: 2, webhooks: 2 } as const;
  const everyone = Object.entries(counts).flatMap(([role, count]) =>
    Array.from({ length: count }, (_, index) => [role as keyof typeof counts, index] as const),
  );
  await Promise.all(everyone.map(([role, index]) => roles.kill(role, index)));
  await roles.redis.goAway();
  copyFileSync(kept, dump);
  await roles.redis.comeBack();
  await roles.bringBack('api', 0);
  const balances = await client.send('GET', '/api/v2/balances', undefined, {}, false);
  expect(balances).toMatchObject({ status: 503, body: { error: { code: 'READ_MODEL_REBUILDING' } } });
  await Promise.all(everyone.filter(([role]) => role !== 'api').map(([role, index]) => roles.bringBack(role, index)));
  await load.progress(40);
  await expectAllDone();
}, 900_000);
