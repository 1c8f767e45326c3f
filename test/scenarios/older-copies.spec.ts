import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Deployment } from '../support/deployment';
import { MerchantClient } from '../support/merchant-client';
import { bodyOf, createCompleted, type ErrorBody, refund } from '../support/payments';
import { eventually, Service } from '../support/service';
import { WebhookReceiver } from '../support/webhook-receiver';

let receiver: WebhookReceiver;
let service: Service | undefined;
let roles: Deployment | undefined;

beforeEach(async () => {
  receiver = await WebhookReceiver.start();
});
afterEach(async () => {
  await service?.kill();
  await service?.removeData();
  await roles?.end();
  await receiver.stop();
  service = roles = undefined;
});

const get = (client: MerchantClient, path: string) => client.send('GET', `/api/v2${path}`, undefined, {}, false);
const LISTS = ['/payments', '/balances', '/events', '/webhook-deliveries'];

/** Status and error code of each. */
async function outcomes(client: MerchantClient, paths: readonly string[]): Promise<readonly string[]> {
  const answers = await Promise.all(paths.map((path) => get(client, path)));
  return answers.map(({ status, body }) => [status, (body as Partial<ErrorBody>).error?.code ?? ''].join(' ').trim());
}

const WITHIN_MS = 60_000;
const REBUILDING = '503 READ_MODEL_REBUILDING';

it('an API that is started over an older dump of Redis, with nobody who projects, shows nothing of what was before', async () => {
  roles = await Deployment.start({ api: 1, projector: 1, processor: 1, webhooks: 1 });
  const client = new MerchantClient(roles.url, roles.credentials);
  const notifyUrl = receiver.url;
  const first = await createCompleted(client, { notifyUrl });
  await eventually('the first webhook', async () => receiver.of(first.paymentId).length > 0);
  await roles.redis.command('SAVE');
  const [dump, kept] = ['dump.rdb', 'kept.rdb'].map((name) => join(roles!.redis.directory, name)) as [string, string];
  copyFileSync(dump, kept);
  const second = await createCompleted(client, { notifyUrl });
  await eventually('the second webhook', async () => receiver.of(second.paymentId).length > 0);
  const { headers, body } = receiver.of(second.paymentId)[0]!;
  const { eventId } = body;
  const known = await eventually('the feed', async () => {
    const answer = await get(client, `/events?after=${eventId}`);
    return answer.status === 200 && answer;
  });
  expect(bodyOf<{ items: unknown[] }>(known, 200).items).toEqual([]);

  for (const role of ['projector', 'api'] as const) await roles.kill(role, 0);
  await roles.redis.goAway();
  copyFileSync(kept, dump);
  await roles.redis.comeBack();
  await roles.bringBack('api', 0);
  const delivery = String(headers['x-webhook-id']);
  const paths = [...LISTS, `/events?after=${eventId}`];
  expect(await outcomes(client, paths)).toEqual(paths.map(() => REBUILDING));
  const redelivery = await client.send(
    'POST',
    `/api/v2/webhook-deliveries/${delivery}/redeliver`,
    undefined,
    {},
    false,
  );
  expect([redelivery.status, redelivery.body]).toMatchObject([503, { error: { code: 'READ_MODEL_REBUILDING' } }]);
  expect(bodyOf<object>(await client.payment(second.paymentId), 200)).toMatchObject({ status: 'COMPLETED' });
  const batch = await client.batchQuery([first.paymentId, second.paymentId]);
  expect(batch).toMatchObject({ status: 200, body: { summary: { total: 2, succeeded: 2 } } });

  await roles.bringBack('projector', 0);
  await eventually(
    'the lists',
    async () => (await outcomes(client, LISTS)).every((outcome) => outcome === '200'),
    WITHIN_MS,
  );
  const list = bodyOf<{ items: { paymentId: string }[] }>(await get(client, '/payments'), 200);
  expect(list.items.map(({ paymentId }) => paymentId)).toEqual([second.paymentId, first.paymentId]);
  expect((await get(client, `/events?after=${eventId}`)).status).toBe(200);
}, 300_000);

it('balances that nobody keeps up to date are refused, and not shown as if they were new', async () => {
  roles = await Deployment.start({ api: 1, projector: 1, processor: 1, webhooks: 1 });
  const client = new MerchantClient(roles.url, roles.credentials);
  const { paymentId } = await createCompleted(client);
  await eventually('the balance', async () => (await outcomes(client, ['/balances']))[0] === '200');
  await roles.kill('projector', 0);
  await refund(client, paymentId, '1.00');
  await eventually(
    'them to be refused',
    async () => (await outcomes(client, ['/balances']))[0] === REBUILDING,
    WITHIN_MS,
  );
  await roles.bringBack('projector', 0);
  await eventually('them to be shown', async () => (await outcomes(client, ['/balances']))[0] === '200', WITHIN_MS);
}, 300_000);

it('the first lists after readiness are answered, on a fresh folder and on one with an older copy of the read models', async () => {
  service = await Service.start();
  const client = new MerchantClient(service.url, service.credentials);
  expect(await outcomes(client, LISTS)).toEqual(LISTS.map(() => '200'));
  const first = await createCompleted(client, { notifyUrl: receiver.url });
  await eventually('its webhook', async () => receiver.of(first.paymentId).length > 0);
  await service.stop();
  const file = join(service.dataDir, 'read-models.sqlite');
  copyFileSync(file, `${file}.kept`);

  service = await service.restart();
  const later = [await createCompleted(client), await createCompleted(client)];
  const balances = await eventually('the balances', async () => {
    const answer = await get(client, '/balances');
    return answer.status === 200 && answer;
  });
  await service.kill();
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
  copyFileSync(`${file}.kept`, file);
  service = await service.restart();
  expect(await outcomes(client, LISTS)).toEqual(LISTS.map(() => '200'));
  expect((await get(client, '/balances')).text).toBe(balances.text);
  const list = bodyOf<{ items: { paymentId: string }[] }>(await get(client, '/payments'), 200);
  expect(list.items).toHaveLength(1 + later.length);
}, 300_000);
