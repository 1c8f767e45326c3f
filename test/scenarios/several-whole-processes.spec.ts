import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreProcess } from '../support/event-store-process';
import { GATEWAY_SECRET, GatewayProcess } from '../support/gateway-process';
import { MerchantClient } from '../support/merchant-client';
import { OperatorClient } from '../support/operator-client';
import { createCompleted } from '../support/payments';
import { endRedisOf, redisOf } from '../support/redis-of';
import { eventually, Service } from '../support/service';
import { WebhookReceiver } from '../support/webhook-receiver';

const PAYMENTS = 12;

let folder: string;
let eventStore: EventStoreProcess;
let gateway: GatewayProcess;
let merchant: MerchantClient;
let receiver: WebhookReceiver;
const services: Service[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'));
  receiver = await WebhookReceiver.start();
  eventStore = await EventStoreProcess.start({ dataDir: folder });
  gateway = await GatewayProcess.start();
  const stores = { EVENTSTORE_URL: eventStore.url, REDIS_URL: (await redisOf(folder)).url };
  const env = {
    ...stores,
    GATEWAY_URL: gateway.url,
    GATEWAY_SECRET,
    OPERATOR_TOKEN: 'op_0123456789abcdefghijklmnopqrstuv',
  };
  const first = await Service.start({ env });
  const dataDir = mkdtempSync(join(tmpdir(), 'counterfoil-'));
  cpSync(join(first.dataDir, 'master.key'), join(dataDir, 'master.key'));
  services.push(first, await Service.start({ dataDir, env }));
  merchant = await new OperatorClient({ url: first.url, operatorToken: env.OPERATOR_TOKEN }).register('a shop');
});
afterAll(async () => {
  for (const service of services) {
    await service.kill();
    await service.removeData();
  }
  await gateway.kill();
  await eventStore.kill();
  await endRedisOf(folder);
  await receiver.stop();
});

const sent = () => receiver.received.map(({ headers }) => headers['x-webhook-id']);

async function pay(url: string): Promise<void> {
  const client = new MerchantClient(url, merchant.credentials);
  const payments = Array.from({ length: PAYMENTS }, () => createCompleted(client, { notifyUrl: receiver.url }));
  await Promise.all(payments);
}

it('processes with all roles that share a Redis send each webhook once, and one goes on when the other is killed', async () => {
  for (const { url } of services) await pay(url);
  await eventually('all webhooks', async () => new Set(sent()).size === 2 * PAYMENTS);
  expect(sent()).toHaveLength(2 * PAYMENTS);
  await services[0]!.kill();
  await pay(services[1]!.url);
  await eventually('all webhooks', async () => new Set(sent()).size === 3 * PAYMENTS);
});
