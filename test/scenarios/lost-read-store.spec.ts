import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { booksOf } from '../support/books';
import { countEvents, readLog } from '../support/event-log';
import { MerchantClient } from '../support/merchant-client';
import {
  answerChallenge,
  CARDS,
  create,
  createCompleted,
  read,
  refund,
  untilRefundStatus,
  untilStatus,
} from '../support/payments';
import { redisOf } from '../support/redis-of';
import { eventually, Service } from '../support/service';
import { isDistributed } from '../support/stores-of';
import { WebhookReceiver } from '../support/webhook-receiver';

let service: Service;
let client: MerchantClient;
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  service = await Service.start();
  client = new MerchantClient(service.url, service.credentials);
});

afterAll(async () => {
  await receiver.stop();
  await service.stop();
  await service.removeData();
});

async function loseReadStore(): Promise<void> {
  if (isDistributed) {
    await (await redisOf(service.dataDir)).command('FLUSHALL');
    return;
  }
  const files = readdirSync(service.dataDir).filter((name) => name.startsWith('read-models.sqlite'));
  expect(files).toContain('read-models.sqlite');
  for (const name of files) rmSync(join(service.dataDir, name));
}

/** Ends the service, takes its read models away, and starts it again. */
async function restartWithoutReadStore(end: 'stop' | 'kill'): Promise<void> {
  await service[end]();
  await loseReadStore();
  service = await service.restart();
}

/** Resolves once the lists of things to do are worked again: something new has come all the way through. */
async function untilAtWork(): Promise<void> {
  const { paymentId } = await createCompleted(client, { notifyUrl: receiver.url });
  await eventually('a new webhook', async () => receiver.of(paymentId).length > 0);
}

/** Resolves when every webhook that came is recorded as delivered, which is what keeps it from being sent again. */
async function untilAcknowledged(): Promise<void> {
  await eventually('all webhooks to be recorded', async () => {
    const log = await readLog(service.dataDir);
    return receiver.received.every(({ headers }) => {
      const streamId = `webhookDelivery-${String(headers['x-webhook-id']).slice(4)}`;
      return log.findLast((event) => event.streamId === streamId)?.type === 'WebhookDelivered';
    });
  });
}

it('rebuilds the same from the log alone, and does nothing again that was done', async () => {
  const notifyUrl = receiver.url;
  const completed = await Promise.all(Array.from({ length: 8 }, () => createCompleted(client, { notifyUrl })));
  const declined = await create(client, { card: CARDS.declined, notifyUrl });
  const manual = await create(client, {
    notifyUrl,
    extra: { captureMethod: 'MANUAL', merchantMetadata: { '1': 'a' } },
  });
  const waiting = await create(client, { card: CARDS.challenge, notifyUrl });
  const refunds = await Promise.all(completed.map(({ paymentId }) => refund(client, paymentId, '10.00')));
  for (const { refundId } of refunds) await untilRefundStatus(client, refundId, 'COMPLETED');
  await untilStatus(client, declined.paymentId, 'FAILED');
  await untilStatus(client, manual.paymentId, 'AUTHORIZED');
  await eventually('all webhooks', async () => receiver.received.length >= 8 + 1 + 1 + 8);

  const ids = [...completed, declined, manual, waiting].map(({ paymentId }) => paymentId);
  const everything = async () => [
    ...(await Promise.all(ids.map(async (id) => (await client.payment(id)).text))),
    ...(await Promise.all(refunds.map(async ({ refundId }) => (await client.readRefund(refundId)).text))),
    (await client.batchQuery(ids)).text,
  ];
  for (const end of ['stop', 'kill'] as const) {
    await untilAcknowledged();
    const before = {
      reads: await everything(),
      books: booksOf(service.dataDir, ids),
      webhooks: receiver.received.length,
    };
    const events = await countEvents(service.dataDir);
    await restartWithoutReadStore(end);
    expect(await everything()).toEqual(before.reads);
    expect(await countEvents(service.dataDir)).toBe(events);
    await untilAtWork();
    expect(await everything()).toEqual(before.reads);
    expect(booksOf(service.dataDir, ids)).toEqual(before.books);
    // The one that has shown that work goes on is all that came.
    expect(receiver.received).toHaveLength(before.webhooks + 1);
  }
  expect(service.errors).toEqual([]);

  // What still had to be done is still known: the customer's answer leads on.
  await answerChallenge(waiting, 'approve');
  await untilStatus(client, waiting.paymentId, 'COMPLETED');
});

it('goes on with what was in hand when it was killed', async () => {
  const cards = [CARDS.authorizationAnswerLost, CARDS.captureAnswerLost, CARDS.completes, CARDS.completes];
  const payments = await Promise.all(cards.map((card) => create(client, { card, notifyUrl: receiver.url })));
  await restartWithoutReadStore('kill');
  for (const { paymentId } of payments) {
    expect((await read(client, paymentId)).paymentId).toBe(paymentId);
    await untilStatus(client, paymentId, 'COMPLETED', 40_000);
    const { authorizations, captures } = booksOf(service.dataDir, [paymentId]).get(paymentId)!;
    expect([authorizations.count, captures.count]).toEqual([1, 1]);
    await eventually('its webhook', async () => receiver.of(paymentId).length > 0);
    const webhookIds = receiver.of(paymentId).map(({ headers }) => headers['x-webhook-id']);
    expect(new Set(webhookIds).size).toBe(1);
  }
});
