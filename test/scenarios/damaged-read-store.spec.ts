import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MerchantClient } from '../support/merchant-client';
import { bodyOf, create, createCompleted } from '../support/payments';
import { eventually, Service } from '../support/service';
import { type Reply, WebhookReceiver } from '../support/webhook-receiver';

const FILE = 'read-models.sqlite';
const PAGE_BYTES = 4_096;
/**
 * The first retry would come after 5 s; a receiver may ask for twice that, which is enough for a start of the service.
 */
const LATER: Reply = { status: 503, headers: { 'Retry-After': '10' } };

let service: Service;
let client: MerchantClient;
let receiver: WebhookReceiver;
let reply: Reply;

beforeEach(async () => {
  reply = 204;
  receiver = await WebhookReceiver.start(() => reply);
  service = await Service.start();
  client = new MerchantClient(service.url, service.credentials);
});
afterEach(async () => {
  await receiver.stop();
  await service.stop();
  await service.removeData();
});

/** A payment whose webhook was refused once, and is to be sent again later. */
async function withWebhookToBeRepeated(): Promise<string> {
  reply = LATER;
  const { paymentId } = await createCompleted(client, { notifyUrl: receiver.url });
  await eventually('the first attempt to be recorded', async () => {
    const answer = await client.send('GET', '/api/v2/webhook-deliveries?limit=1', undefined, {}, false);
    const [delivery] = (answer.body['items'] ?? []) as { attempts: unknown[] }[];
    return delivery !== undefined && delivery.attempts.length > 0;
  });
  reply = 204;
  return paymentId;
}

/** Overwrites every page of the closed file that holds the text. */
function damage(mark: string): void {
  const path = join(service.dataDir, FILE);
  const bytes = readFileSync(path);
  let found = 0;
  for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + 1), found += 1) {
    const page = at - (at % PAGE_BYTES);
    bytes.fill(0xa5, page, page + PAGE_BYTES);
  }
  expect(found).toBeGreaterThan(0);
  writeFileSync(path, bytes);
}

const statusOf = async (path: string) => (await client.send('GET', path, undefined, {}, false)).status;
const untilServed = (path: string) => eventually(`${path} to be served`, async () => (await statusOf(path)) === 200);

/** All of it without a single new event: nothing but the loss itself tells the projectors. */
async function expectRebuilt(waiting: string): Promise<void> {
  await eventually('the loss to be noticed', async () => service.log.includes('the read models were lost'));
  for (const path of ['/api/v2/payments', '/api/v2/balances', '/api/v2/webhook-deliveries']) await untilServed(path);
  await eventually('the webhook to be sent again', async () => receiver.of(waiting).length === 2, 30_000);
  const ready = await fetch(`${service.url}/health/ready`);
  expect([ready.status, await ready.json()]).toMatchObject([200, { status: 'ready', reasons: [] }]);
}

it('is rebuilt at once when a read finds it damaged, and what is due is done', async () => {
  const mark = 'this-page-is-going-to-be-damaged';
  const extra = { merchantMetadata: { mark } };
  const marked = await createCompleted(client, { extra });
  // More documents than one page holds, so that damage to one leaves the others, and the way to them, alone.
  for (let left = 30; left > 0; left -= 1)
    await create(client, { extra: { merchantMetadata: { fill: 'x'.repeat(400) } } });
  const waiting = await withWebhookToBeRepeated();
  expect(await service.stop()).toBe(0);
  damage(mark);
  service = await service.restart();
  await client.payment(marked.paymentId);
  await expectRebuilt(waiting);
  expect(bodyOf(await client.payment(marked.paymentId), 200)).toMatchObject({
    status: 'COMPLETED',
    merchantMetadata: { mark },
  });
});

it('is rebuilt at once when it is removed under the running service', async () => {
  const waiting = await withWebhookToBeRepeated();
  for (const name of readdirSync(service.dataDir).filter((file) => file.startsWith(FILE))) {
    rmSync(join(service.dataDir, name));
  }
  await expectRebuilt(waiting);
});
