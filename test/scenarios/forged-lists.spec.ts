import { RedisServer } from '@app/stores/testing/redis/redis-server';
import { actsFor } from '../support/books';
import type { DeliveryPage } from '../support/deliveries';
import { FileForger, type Forger, RedisForger } from '../support/forged-entries';
import type { MerchantClient } from '../support/merchant-client';
import { OperatorClient } from '../support/operator-client';
import { bodyOf, CARDS, createCompleted, type RefundBody, refund, untilRefundStatus } from '../support/payments';
import { eventually, Service } from '../support/service';
import { expectedSignatures, type Reply, WebhookReceiver } from '../support/webhook-receiver';

/** Long enough for a restart in between, and no longer than a receiver may ask for. */
const LATER: Reply = { status: 503, headers: { 'Retry-After': '10' } };
const DAY_MS = 86_400_000;
const NO_REFUND = 'ref_0000000000000000000000000Z0000000000000000';
const NO_PAYMENT = 'payment-0000000000000000000000000Z';

let service: Service;
let redis: RedisServer | null;
let receiver: WebhookReceiver;
let evil: WebhookReceiver;
let reply: Reply;

beforeEach(async () => {
  reply = LATER;
  redis = null;
  receiver = await WebhookReceiver.start(() => reply);
  evil = await WebhookReceiver.start();
});
afterEach(async () => {
  await service.kill();
  await service.removeData();
  await receiver.stop();
  await evil.stop();
  await redis?.stop();
});

/** A webhook that was refused once: its payment, its delivery, and where it will be tried again. */
interface Waiting {
  readonly paymentId: string;
  readonly deliveryId: string;
}

async function waitingWebhook(client: MerchantClient): Promise<Waiting> {
  const { paymentId } = await createCompleted(client, { notifyUrl: receiver.url });
  const [webhook] = await eventually(
    'the first attempt',
    async () => receiver.of(paymentId).length > 0 && receiver.of(paymentId),
  );
  const deliveryId = String(webhook!.headers['x-webhook-id']);
  await eventually('the attempt to be recorded', async () => {
    const answer = await client.send('GET', '/api/v2/webhook-deliveries?limit=100', undefined, {}, false);
    const { items = [] } = answer.body as Partial<DeliveryPage>;
    return items.some((one) => one.deliveryId === deliveryId && one.attemptCount > 0);
  });
  return { paymentId, deliveryId };
}

/** Refunds that their gateway will only say something of in 10 s; asked for at once, so that all of that time is left. */
async function waitingRefunds(client: MerchantClient, count: number): Promise<readonly RefundBody[]> {
  const payments = Array.from({ length: count }, () => createCompleted(client, { card: CARDS.refundPending }));
  return Promise.all((await Promise.all(payments)).map(({ paymentId }) => refund(client, paymentId, '1.00')));
}

/** The service is killed as soon as its lists have these entries, which would change while it stopped in order. */
async function forge(
  forgers: () => Forger,
  entries: readonly string[],
  work: (forger: Forger) => Promise<void>,
): Promise<void> {
  const forger = forgers();
  try {
    const isThere = (key: string) => forger.document('paymentsToProcess', key).then(Boolean, () => false);
    await eventually('the entries', async () => !(await Promise.all(entries.map(isThere))).includes(false));
    await service.kill();
    await work(forger);
  } finally {
    forger.close();
  }
  service = await service.restart(redis === null ? {} : { REDIS_URL: redis.url });
}

const forgedOf = (metrics: string, kind: string) =>
  Number(new RegExp(`^counterfoil_forged_entries_total\\{.*kind="${kind}".*\\} (\\d+)$`, 'm').exec(metrics)?.[1] ?? 0);

it.each(['SQLite', 'Redis'])(
  'entries that were forged in %s while the service was away move no money and send nothing elsewhere; all others go on',
  async (kind) => {
    if (kind === 'Redis') redis = await RedisServer.start();
    service = await Service.start(redis === null ? {} : { env: { REDIS_URL: redis.url } });
    const forgers = () => (redis === null ? new FileForger(service.dataDir) : new RedisForger(redis.url));
    const operator = new OperatorClient(service);
    const [shop, other] = [await operator.register('Shop'), await operator.register('Other')];

    const [honest, url, merchant, foreign, missing, unreadable, late, otherHonest] = (await Promise.all(
      [shop, shop, shop, shop, shop, shop, shop, other].map(waitingWebhook),
    )) as [Waiting, Waiting, Waiting, Waiting, Waiting, Waiting, Waiting, Waiting];
    const refunds = await waitingRefunds(shop, 5);
    const [sound, ofOther, shapeless, unknown, putOff] = refunds as [
      RefundBody,
      RefundBody,
      RefundBody,
      RefundBody,
      RefundBody,
    ];
    const refundIds = refunds.map(({ refundId }) => refundId);

    await forge(forgers, refundIds, async (forger) => {
      const change = async (list: 'webhooksToSend' | 'paymentsToProcess', key: string, by: object) =>
        forger.write(list, key, JSON.stringify({ ...(await forger.document(list, key)), ...by }));
      await change('webhooksToSend', url.deliveryId, { url: evil.url });
      await change('webhooksToSend', merchant.deliveryId, { merchantId: other.credentials.merchantId });
      const { source } = await forger.document('webhooksToSend', otherHonest.deliveryId);
      await change('webhooksToSend', foreign.deliveryId, { source, merchantId: other.credentials.merchantId });
      await change('webhooksToSend', missing.deliveryId, { source: { streamId: NO_PAYMENT, revision: 2 } });
      // What is no JSON at all has everything built anew.
      await forger.write('webhooksToSend', unreadable.deliveryId, '{"source":7}');
      await forger.putOff('webhooksToSend', late.deliveryId, DAY_MS);
      await change('paymentsToProcess', ofOther.refundId, {
        merchantId: other.credentials.merchantId,
        paymentId: otherHonest.paymentId,
        refundId: null,
      });
      await forger.write('paymentsToProcess', shapeless.refundId, '{}');
      await forger.rename('paymentsToProcess', unknown.refundId, NO_REFUND);
      await forger.putOff('paymentsToProcess', putOff.refundId, DAY_MS);
    });
    reply = 204;

    const sentAgain = ({ paymentId }: Waiting) => receiver.of(paymentId).length === 2;
    for (const one of [honest, url, merchant, otherHonest]) {
      await eventually('the webhook to be sent again', async () => sentAgain(one), 40_000);
      const { merchantId, webhookSecret } = (one === otherHonest ? other : shop).credentials;
      const [first, second] = receiver.of(one.paymentId);
      expect(second!.body).toEqual(first!.body);
      expect(second!.body.data['merchantId']).toBe(merchantId);
      expect(second!.headers['x-signature']).toBe(expectedSignatures(webhookSecret, second!).xSignature);
      expect(second!.headers['webhook-signature']).toBe(expectedSignatures(webhookSecret, second!).webhookSignature);
    }
    for (const { refundId } of [sound, ofOther, shapeless])
      await untilRefundStatus(shop, refundId, 'COMPLETED', 60_000);
    await eventually('all of it to be told of', async () => {
      const metrics = await service.metrics();
      return forgedOf(metrics, 'webhooksToSend') === 3 && forgedOf(metrics, 'paymentsToProcess') === 1;
    });
    for (const key of [foreign.deliveryId, missing.deliveryId, unreadable.deliveryId, NO_REFUND]) {
      expect(service.log.split('\n').filter((line) => line.includes('is forged') && line.includes(key))).toHaveLength(
        1,
      );
    }
    // What was put off is missed by nobody, until the payment's next event or a rebuild.
    expect([foreign, missing, unreadable, late].map(sentAgain)).toEqual([false, false, false, false]);

    // The operator's remedy, which is what the log says.
    for (const name of ['payments', 'processing']) {
      bodyOf(await operator.send('POST', `/projections/${name}/rebuild`), 202);
    }
    await eventually('what was put off to be sent', async () => sentAgain(late), 40_000);
    for (const { refundId } of [unknown, putOff]) await untilRefundStatus(shop, refundId, 'COMPLETED', 60_000);
    // What was told of is looked at again after a minute, or by the next process.
    await forge(forgers, [], async () => {});
    for (const one of [foreign, missing, unreadable]) {
      await eventually('what was forged to be sent', async () => sentAgain(one), 40_000);
    }

    expect(evil.received).toEqual([]);
    const all = [honest, url, merchant, foreign, missing, unreadable, late, otherHonest];
    expect(all.map(({ paymentId }) => receiver.of(paymentId).length)).toEqual(all.map(() => 2));
    for (const { paymentId } of [sound, ofOther, shapeless, unknown, putOff]) {
      expect(actsFor(service.dataDir, paymentId)).toEqual({ authorizations: 1, captures: 1, voids: 0, refunds: 1 });
    }
  },
);
