import { randomUUID } from 'node:crypto';
import { EventStoreDBClient } from '@eventstore/db-client';
import { type EventStoreAccess, eventStoreOf } from '../support/event-store-of';
import { EventStoreProcess } from '../support/event-store-process';
import { type Answer, MerchantClient, paymentRequest } from '../support/merchant-client';
import { OperatorClient } from '../support/operator-client';
import { bodyOf, createCompleted, type CreatedPayment, refundRequest, untilStatus } from '../support/payments';
import { refusal } from '../support/refusal';
import { eventually, Service, startRefused } from '../support/service';
import { WebhookReceiver } from '../support/webhook-receiver';

/** A server of this suite's own, where services have the embedded log. */
let own: EventStoreProcess | null = null;
let access: EventStoreAccess;
let service: Service;
let receiver: WebhookReceiver;
let client: EventStoreDBClient;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  service = await Service.start({ env: await ownServer() });
  access = (await eventStoreOf(service.dataDir)) ?? { EVENTSTORE_URL: own?.url ?? '', STREAM_PREFIX: '' };
  client = EventStoreDBClient.connectionString(access.EVENTSTORE_URL);
});
afterAll(async () => {
  await client.dispose();
  await service.stop();
  await service.removeData();
  await own?.kill();
  own?.removeData();
  await receiver.stop();
});

async function ownServer(): Promise<Readonly<Record<string, string>>> {
  if (process.env['TEST_EVENT_STORE'] === 'eventstoredb') return {};
  own = await EventStoreProcess.start();
  return { EVENTSTORE_URL: own.url };
}

const named = (streamId: string) => access.STREAM_PREFIX + streamId;
const paymentStream = (paymentId: string) => `payment-${paymentId.slice('pay_'.length)}`;

/** What somebody with rights on the store may do to a stream, however well it was meant. */
const DELETIONS = {
  deleted: (name: string) => client.deleteStream(name),
  'deleted for good': (name: string) => client.tombstoneStream(name),
  shortened: (name: string) => client.setStreamMetadata(name, { maxCount: 1 }),
};

const isDamaged = (answer: Answer) => answer.status === 409 && refusal(answer)[1] === 'HISTORY_DAMAGED';

interface KeyedPayment {
  readonly paymentId: string;
  readonly key: string;
  readonly body: Record<string, unknown>;
}

async function completed(merchant: MerchantClient): Promise<KeyedPayment> {
  const key = randomUUID();
  const body = paymentRequest({ notifyUrl: receiver.url });
  const { paymentId } = bodyOf<CreatedPayment>(await merchant.createPayment(body, { key }), 201);
  await untilStatus(merchant, paymentId, 'COMPLETED');
  return { paymentId, key, body };
}

it('a stream that was deleted or cut acts no more, is told to whoever asks for it, and keeps nothing else from working', async () => {
  const operator = new OperatorClient(service);
  const shop = await operator.register('Shop');
  const closed = await operator.register('Closed');
  const payments: KeyedPayment[] = [];
  for (const _ of Object.keys(DELETIONS)) payments.push(await completed(shop));
  const { paymentId: held } = bodyOf<CreatedPayment>(
    await shop.createPayment(paymentRequest({ notifyUrl: receiver.url, extra: { captureMethod: 'MANUAL' } })),
    201,
  );
  await untilStatus(shop, held, 'AUTHORIZED');
  const sound = await createCompleted(shop);
  const balance = () => shop.send('GET', '/api/v2/balances', undefined, {}, false);
  const owed = await eventually('the balance of all', async () => {
    const answer = await balance();
    return answer.text.includes('519.60') ? answer.body : null;
  });
  const told = (paymentId: string) => receiver.of(paymentId).length;
  await eventually('the webhooks', async () => payments.every(({ paymentId }) => told(paymentId) > 0));
  const toldBefore = payments.map(({ paymentId }) => told(paymentId));

  const cuts = Object.values(DELETIONS);
  for (const [index, { paymentId }] of payments.entries()) await cuts[index]!(named(paymentStream(paymentId)));
  await client.deleteStream(named(paymentStream(held)));
  await client.deleteStream(named(`merchant-${closed.credentials.merchantId}`));

  const check = async () => {
    const damaged = [...payments.map(({ paymentId }) => paymentId), held];
    const merchant = new MerchantClient(service.url, shop.credentials);
    for (const paymentId of damaged) {
      await eventually(`${paymentId} to be found damaged`, async () => isDamaged(await merchant.payment(paymentId)));
      const path = `/api/v2/payments/${paymentId}`;
      for (const asked of [
        merchant.send('GET', `${path}/events`, undefined, {}, false),
        merchant.send('GET', `${path}/refunds`, undefined, {}, false),
        merchant.send('POST', `${path}/capture`, {}, { key: randomUUID() }, true),
        merchant.refund(paymentId, refundRequest('1.00')),
      ]) {
        expect(refusal(await asked)).toEqual([409, 'HISTORY_DAMAGED', []]);
      }
    }
    // Its key leads to it, and takes no money again.
    for (const { key, body } of payments) {
      expect(refusal(await merchant.createPayment(body, { key }))).toEqual([409, 'HISTORY_DAMAGED', []]);
    }
    const listed = await merchant.send('GET', '/api/v2/payments?limit=100', undefined, {}, false);
    const { items } = bodyOf<{ items: { paymentId: string; status: string }[] }>(listed, 200);
    const statuses = new Map(items.map(({ paymentId, status }) => [paymentId, status]));
    expect(damaged.map((paymentId) => statuses.get(paymentId))).toEqual(damaged.map(() => 'DAMAGED'));
    const batch = bodyOf<{ results: { status: string }[] }>(
      await merchant.batchQuery([...damaged, sound.paymentId]),
      200,
    );
    expect(batch.results.map(({ status }) => status)).toEqual([...damaged.map(() => 'DAMAGED'), 'COMPLETED']);
    const lockedOut = new MerchantClient(service.url, closed.credentials);
    await eventually('the merchant to be found damaged', async () =>
      isDamaged(await lockedOut.createPayment(paymentRequest())),
    );
    const streams = bodyOf<{ items: { streamId: string; kind: string }[] }>(
      await new OperatorClient(service).send('GET', '/damaged-streams?limit=100'),
      200,
    ).items.map(({ streamId, kind }) => `${kind} ${streamId}`);
    for (const paymentId of damaged) expect(streams).toContain(`DELETED ${paymentStream(paymentId)}`);
    expect(streams).toContain(`DELETED merchant-${closed.credentials.merchantId}`);
    expect(await (await fetch(`${service.url}/health/ready`)).text()).toContain('damaged and set aside');
  };
  await check();
  await service.stop();
  service = await service.restart(own === null ? {} : { EVENTSTORE_URL: own.url });
  await check();

  // Everything else goes on, and no figure has moved.
  const merchant = new MerchantClient(service.url, shop.credentials);
  expect((await merchant.send('GET', '/api/v2/balances', undefined, {}, false)).body).toEqual(owed);
  await createCompleted(merchant);
  expect(payments.map(({ paymentId }) => told(paymentId))).toEqual(toldBefore);

  // Without its keys it doesn't start, and says why.
  await service.stop();
  await client.deleteStream(named('keys'));
  const refused = await startRefused(service.dataDir, own === null ? {} : { EVENTSTORE_URL: own.url });
  expect(refused.output).toContain('Stream keys is damaged at revision 0');
  expect(refused.code).toBe(1);
}, 180_000);
