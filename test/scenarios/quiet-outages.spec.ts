import { randomUUID } from 'node:crypto';
import { CuttingProxy } from '@app/stores/testing/cutting-proxy';
import { RedisServer } from '@app/stores/testing/redis/redis-server';
import { EventStoreProcess } from '../support/event-store-process';
import { GATEWAY_SECRET, GatewayProcess } from '../support/gateway-process';
import { MerchantClient, paymentRequest } from '../support/merchant-client';
import { createCompleted } from '../support/payments';
import { Service } from '../support/service';
import { diskKinds, makeSmallDisk } from '../support/small-disk';

// Whoever runs into what is away is told so in its answer and in one line of the log; what is wrong is told once, by all of them.

const REQUESTS = 150;
/** For all that notices the outage by itself: projections, workers, the store's own watch. */
const MAX_OTHER_LINES = 40;
const MAX_BYTES_A_REQUEST = 600;

let service: Service | undefined;
const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  await service?.kill();
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  service = undefined;
});

interface Outage {
  /** Starts the service on what is to go away. */
  readonly start: () => Promise<Service>;
  readonly goAway: () => unknown;
  readonly request: (client: MerchantClient) => Promise<{ readonly status: number }>;
}

/** Where it lies on a disk of its own, it goes with the disk. */
const removeData = () => service?.removeData();
const create = (client: MerchantClient) => client.createPayment(paymentRequest(), { key: randomUUID() });
const list = (client: MerchantClient) => client.send('GET', '/api/v2/payments', undefined, {}, false);

async function withEventStore(): Promise<Outage> {
  const store = await EventStoreProcess.start();
  const proxy = await CuttingProxy.to(store.port);
  cleanUps.push(
    () => store.removeData(),
    () => store.kill(),
    () => proxy.goAway(),
    removeData,
  );
  return {
    start: () => Service.start({ env: { EVENTSTORE_URL: proxy.url } }),
    goAway: () => proxy.goAway(),
    request: create,
  };
}

async function withRedis(): Promise<Outage> {
  const redis = await RedisServer.start();
  cleanUps.push(() => redis.stop(), removeData);
  return {
    start: () => Service.start({ env: { REDIS_URL: redis.url } }),
    goAway: () => redis.goAway(),
    request: list,
  };
}

async function withGateway(): Promise<Outage> {
  const gateway = await GatewayProcess.start();
  cleanUps.push(
    () => gateway.removeData(),
    () => gateway.kill(),
    removeData,
  );
  return {
    start: () => Service.start({ env: { GATEWAY_URL: gateway.url, GATEWAY_SECRET } }),
    goAway: () => gateway.kill(),
    request: create,
  };
}

async function withDisk(): Promise<Outage> {
  const [kind] = diskKinds();
  const disk = makeSmallDisk(kind!, 48 * 2 ** 20);
  cleanUps.push(() => disk.remove());
  return {
    start: () => Service.start({ dataDir: disk.path }),
    goAway: () => disk.fill(service!.pid),
    request: create,
  };
}

it.each([
  ['the event store', withEventStore],
  ['Redis', withRedis],
  ['the gateway', withGateway],
  ['room on the disk', withDisk],
])(
  'an outage of %s takes a line for each request, and a few of its own',
  async (_what, given) => {
    const { start, goAway, request } = await given();
    service = await start();
    const client = new MerchantClient(service.url, service.credentials);
    await createCompleted(client);
    await goAway();
    const before = service.log.length;
    const refused: number[] = [];
    const asking = Array.from({ length: 25 }, async () => {
      while (refused.length < REQUESTS) {
        const { status } = await request(client);
        if (status === 503) refused.push(status);
      }
    });
    await Promise.all(asking);
    const log = service.log.slice(before);
    const lines = log.split('\n').filter((line) => line !== '');
    const requests = lines.filter((line) => line.includes('"msg":"request"'));
    const others = lines.filter((line) => !line.includes('"msg":"request"'));
    expect(requests.length).toBeGreaterThanOrEqual(REQUESTS);
    expect(requests.filter((line) => line.includes('"status":503') && !/"code":"[A-Z_]+"/.test(line))).toEqual([]);
    expect([others.length <= MAX_OTHER_LINES, others]).toEqual([true, expect.anything()]);
    expect(log.length / requests.length).toBeLessThan(MAX_BYTES_A_REQUEST);
  },
  120_000,
);
