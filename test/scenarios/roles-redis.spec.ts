import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SeededRandom } from '@app/runtime/testing';
import { Deployment } from '../support/deployment';
import { newSeed } from '../support/load';
import { create, read } from '../support/payments';
import { RoleLoad } from '../support/role-load';
import { eventually } from '../support/service';

let work: RoleLoad | undefined;
afterEach(() => work?.end());

async function start(): Promise<RoleLoad> {
  const seed = newSeed();
  process.stdout.write(`redis: SEED=${seed}\n`);
  const roles = await Deployment.start({ api: 1, projector: 2, processor: 2, webhooks: 2 });
  work = await RoleLoad.start(roles, new SeededRandom(seed));
  return work;
}

const readinessOf = async (url: string) => {
  const answer = await fetch(`${url}/health/ready`);
  return { status: answer.status, body: (await answer.json()) as { status: string; reasons: { name: string }[] } };
};

it('loses nothing and does nothing twice when Redis is emptied, restarted empty, and restarted with an older dump', async () => {
  const { load, roles } = await start();
  const { redis } = roles;
  await load.progress(30);
  await redis.command('FLUSHALL');
  await load.progress(30);
  await redis.goAway();
  await sleep(500);
  await redis.comeBack();
  await load.progress(30);
  await redis.command('SAVE');
  const kept = join(redis.directory, 'kept.rdb');
  copyFileSync(join(redis.directory, 'dump.rdb'), kept);
  await load.progress(60);
  await redis.goAway();
  copyFileSync(kept, join(redis.directory, 'dump.rdb'));
  await redis.comeBack();
  await load.progress(30);
  expect(await work!.problems()).toEqual([]);
  expect(await roles.stop()).toEqual(roles.all.map(() => 0));
}, 240_000);

it('goes on with payments while Redis is frozen, shows no part of a list, and stays ready where that can be done without', async () => {
  const { load, roles, client } = await start();
  await load.progress(20);
  roles.redis.freeze();
  try {
    // Only the first read has to find out, which takes as long as Redis may take for an answer.
    const during = await create(client);
    expect(await read(client, during.paymentId)).toMatchObject({ status: 'PROCESSING' });
    const list = await client.send('GET', '/api/v2/payments', undefined, {}, false);
    expect(list.status).toBe(503);
    const [api] = roles.of('api');
    await eventually('the reason', async () => (await readinessOf(api!.url)).body.reasons.length > 0);
    expect(await readinessOf(api!.url)).toMatchObject({
      status: 200,
      body: { status: 'ready', reasons: [{ name: 'read store' }] },
    });
    const workers = [...roles.of('projector'), ...roles.of('processor'), ...roles.of('webhooks')];
    await eventually('the others not to be ready', async () => {
      const answers = await Promise.all(workers.map(({ url }) => readinessOf(url)));
      return answers.every(({ status }) => status === 503);
    });
    await load.progress(20);
  } finally {
    roles.redis.thaw();
  }
  await eventually('all to be ready', async () => {
    const answers = await Promise.all(roles.all.map(({ url }) => readinessOf(url)));
    return answers.every(({ status, body }) => status === 200 && body.reasons.length === 0);
  });
  await load.progress(20);
  expect(await work!.problems()).toEqual([]);
  expect(await roles.stop()).toEqual(roles.all.map(() => 0));
}, 240_000);
