import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Partitions } from '@app/projections/partitions';
import { SeededRandom } from '@app/platform/testing';
import { RedisServer } from '@app/stores/testing/redis/redis-server';
import { problemsOfLog, readLog } from '../support/event-log';
import { Load, newSeed } from '../support/load';
import { MerchantClient } from '../support/merchant-client';
import { problemsOf, untilSettled } from '../support/outcome';
import { create, createCompleted, read, untilStatus } from '../support/payments';
import { eventually, Service, startRefused } from '../support/service';
import { WebhookReceiver } from '../support/webhook-receiver';

let redis: RedisServer;
let receiver: WebhookReceiver;
let service: Service | undefined;
let load: Load | undefined;

beforeEach(async () => {
  redis = await RedisServer.start();
  receiver = await WebhookReceiver.start();
});

afterEach(async () => {
  load?.abandon();
  await service?.kill();
  await service?.removeData();
  await receiver.stop();
  await redis.stop();
});

const PARTITIONS = 4;
const start = () => Service.start({ env: { REDIS_URL: redis.url, PROJECTION_PARTITIONS: String(PARTITIONS) } });
const clientOf = ({ url, credentials }: Service) => new MerchantClient(url, credentials);
const list = (client: MerchantClient) => client.send('GET', '/api/v2/payments', undefined, {}, false);
const reasons = async ({ url }: Service) => (await fetch(`${url}/health/ready`)).text();

it('keeps read models in Redis, and works from them', async () => {
  service = await start();
  const { paymentId } = await createCompleted(clientOf(service), { notifyUrl: receiver.url });
  await eventually('the webhook', async () => receiver.of(paymentId).length > 0);
  const { body } = await list(clientOf(service));
  expect(body).toMatchObject({ items: [{ paymentId, status: 'COMPLETED' }] });
  const part = new Partitions(PARTITIONS).nameFor('payments', service.credentials.merchantId);
  const version = await redis.command('HGET', `counterfoil:{${part}}:meta`, 'active');
  const views = `counterfoil:{${part}}:v${String(version)}:documents:payment`;
  expect(JSON.parse(String(await redis.command('HGET', views, paymentId)))).toMatchObject({ body: { paymentId } });
});

it('takes and shows payments while Redis is away, and finishes them when it is back', async () => {
  service = await start();
  const client = clientOf(service);
  const before = await createCompleted(client, { notifyUrl: receiver.url });
  await redis.goAway();
  const during = await create(client, { notifyUrl: receiver.url });
  expect(await read(client, during.paymentId)).toMatchObject({ status: 'PROCESSING' });
  expect(await read(client, before.paymentId)).toMatchObject({ status: 'COMPLETED' });
  expect((await list(client)).status).toBe(503);
  await eventually('the reason', async () => (await reasons(service!)).includes('Redis is away'));

  await redis.comeBack();
  await untilStatus(client, during.paymentId, 'COMPLETED');
  await eventually('readiness', async () => (await fetch(`${service!.url}/health/ready`)).ok);
  await eventually('the list', async () => (await list(client)).status === 200);
  await eventually('both webhooks', async () => receiver.of(during.paymentId).length > 0);
  expect(service.errors).toEqual([]);
});

it('loses nothing and does nothing twice while Redis is emptied, frozen and killed in the middle of the work', async () => {
  service = await start();
  const seed = newSeed();
  process.stdout.write(`redis: SEED=${seed}\n`);
  load = new Load({
    client: clientOf(service),
    random: new SeededRandom(seed),
    merchants: 6,
    cards: { completes: 10, declined: 2, challenge: 2, captureRefused: 1 },
    notifyUrl: receiver.url,
  });
  const troubles = [
    () => redis.command('FLUSHALL'),
    async () => {
      redis.freeze();
      await sleep(3_000);
      redis.thaw();
    },
    async () => {
      await redis.goAway();
      await sleep(500);
      await redis.comeBack();
    },
    () => redis.command('SCRIPT', 'FLUSH'),
  ];
  for (const trouble of troubles) {
    await load.progress(30);
    await trouble();
  }
  await load.progress(30);
  await load.finish();
  const client = clientOf(service);
  await untilSettled(client, load.acknowledged, 60_000);
  expect(await problemsOf(load, client, service.dataDir)).toEqual([]);
  expect(problemsOfLog(await readLog(service.dataDir))).toEqual([]);
  expect(load.unanswered).toBe(0);
  expect(service.errors).toEqual([]);
});

it('refuses to start on a Redis that evicts keys', async () => {
  await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
  service = undefined;
  const dataDir = mkdtempSync(join(tmpdir(), 'counterfoil-'));
  const { code, output } = await startRefused(dataDir, { REDIS_URL: redis.url });
  expect(code).toBe(1);
  expect(output).toContain('REDIS_URL: leads to a Redis that has the eviction policy allkeys-lru');
  rmSync(dataDir, { recursive: true });
});
