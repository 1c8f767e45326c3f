import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CuttingProxy } from '@app/stores/testing/cutting-proxy';
import type { RedisServer } from '@app/stores/testing/redis/redis-server';
import { Deployment } from '../support/deployment';
import { bodyOf, create, type ErrorBody, read } from '../support/payments';
import { eventually } from '../support/service';
import { Work } from '../support/work';

/** Less than a command may take, and so much that whatever asks twice is seen to be slow. */
const SLOW_MS = 250;
const TOO_SLOW_MS = 3_000;
const ROOM_LEFT_BYTES = 256 * 1024;

let roles: Deployment;
let line: CuttingProxy;
let work: Work | undefined;

beforeEach(async () => {
  work = undefined;
  const redisUrl = async ({ port }: RedisServer) => {
    line = await CuttingProxy.to(port);
    return `redis://127.0.0.1:${line.port}`;
  };
  roles = await Deployment.start({ api: 1, projector: 2, processor: 2, webhooks: 2 }, { redisUrl });
  work = await Work.start('redis', roles);
});

afterEach(async () => {
  await work?.end();
  await roles.end();
  await line.goAway();
});

const readinessOf = async (url: string) => {
  const answer = await fetch(`${url}/health/ready`);
  return { status: answer.status, body: (await answer.json()) as { status: string; reasons: { name: string }[] } };
};

const get = (path: string) => work!.client.send('GET', path, undefined, {}, false);

async function outcomeOf(path: string): Promise<string> {
  const { status, body } = await get(path);
  return [status, (body as Partial<ErrorBody>).error?.code ?? []].flat().join(' ');
}

async function untilAllReady(): Promise<void> {
  await eventually('all to be ready', async () => {
    const answers = await Promise.all(roles.all.map(({ url }) => readinessOf(url)));
    return answers.every(({ status, body }) => status === 200 && body.reasons.length === 0);
  });
}

/** Nothing is missing and nothing was done twice, and nobody was ever refused a payment or a refund. */
async function expectAllDone(): Promise<void> {
  expect(await work!.problems()).toEqual([]);
  expect(work!.load.unanswered).toBe(0);
  expect(await roles.stop()).toEqual(roles.all.map(() => 0));
}

it('loses nothing and does nothing twice when Redis is emptied, restarted empty, and restarted with an older dump', async () => {
  const { load } = work!;
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
  await expectAllDone();
}, 240_000);

const limitMemory = (bytes: number) => roles.redis.command('CONFIG', 'SET', 'maxmemory', String(bytes));

/** Lets what the merchants write fill it up; from then on there is no room, however much the connections give back. */
async function fillRedis(): Promise<void> {
  const info = String(await roles.redis.command('INFO', 'memory'));
  const used = Number(/^used_memory:(\d+)/m.exec(info)?.[1]);
  await limitMemory(used + ROOM_LEFT_BYTES);
  const isFull = ({ log }: { readonly log: string }) => log.includes('Redis is full');
  await eventually('Redis to be full', async () => roles.of('projector').some(isFull), 60_000);
  await limitMemory(1);
}

it.each([
  ['frozen', '503 BUSY', async () => roles.redis.freeze(), async () => roles.redis.thaw()],
  ['too slow', '503 BUSY', async () => line.delayAnswers(TOO_SLOW_MS), async () => line.delayAnswers(0)],
  ['full', '200', fillRedis, async () => void (await limitMemory(0))],
])(
  'goes on with payments while Redis is %s, shows no part of a list, and stays ready where that can be done without',
  async (_what, balances, begin, end) => {
    const { load, client } = work!;
    await load.progress(20);
    await begin();
    try {
      // Only the first read has to find out, which takes as long as Redis may take for an answer.
      const { paymentId } = await create(client);
      expect(await read(client, paymentId)).toMatchObject({ status: 'PROCESSING' });
      const batch = await client.batchQuery([paymentId]);
      expect(batch).toMatchObject({ status: 200, body: { results: [{ paymentId, status: 'PROCESSING' }] } });
      expect((await get('/api/v2/payments')).status).toBe(503);
      expect(await outcomeOf('/api/v2/balances')).toBe(balances);
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
      await end();
    }
    await untilAllReady();
    await load.progress(20);
    await expectAllDone();
  },
  240_000,
);

it('does everything late where Redis is slow, and shows whole lists', async () => {
  const { load, client } = work!;
  await load.progress(20);
  line.delayAnswers(SLOW_MS);
  await load.progress(40);
  const { paymentId } = await create(client);
  const listed = await eventually('a list', async () => {
    const answer = await get('/api/v2/payments?limit=100');
    return answer.status === 200 && bodyOf<{ items: { paymentId: string }[] }>(answer, 200);
  });
  expect(listed.items.map((item) => item.paymentId)).toContain(paymentId);
  await load.progress(40);
  line.delayAnswers(0);
  await untilAllReady();
  await load.progress(20);
  await expectAllDone();
}, 240_000);
