import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { eventsOf } from '../support/event-log';
import { useLedger } from '../support/ledger';
import {
  CARDS,
  create,
  createCompleted,
  idPattern,
  read,
  refund,
  TIME,
  untilRefundStatus,
  untilStatus,
} from '../support/payments';
import { eventually } from '../support/service';
import { expectedSignatures, type ReceivedWebhook, type Reply, WebhookReceiver } from '../support/webhook-receiver';

const receivers: WebhookReceiver[] = [];
// Before the service is stopped, which would give those that never answer some time to do so.
afterAll(() => Promise.all(receivers.map((receiver) => receiver.stop())));

const ledger = useLedger();

async function receive(replyTo?: (webhook: ReceivedWebhook) => Reply | Promise<Reply>): Promise<WebhookReceiver> {
  const receiver = await WebhookReceiver.start(replyTo);
  receivers.push(receiver);
  return receiver;
}

function webhooks(receiver: WebhookReceiver, id: string, count = 1): Promise<readonly ReceivedWebhook[]> {
  return eventually(`${count} webhooks about ${id}`, async () => {
    const received = receiver.of(id);
    return received.length >= count && received;
  });
}

async function deliveryEvents(webhookId: unknown) {
  const events = await eventsOf(ledger.service.dataDir, `webhookDelivery-${String(webhookId).slice('whd_'.length)}`);
  return events.map(({ type, data }) => ({ type, data: JSON.parse(data) as Record<string, unknown> }));
}

describe('payment.completed', () => {
  it('has the headers, the signatures and the data of the interface, and nothing else', async () => {
    const receiver = await receive();
    const extra = { merchantMetadata: { a: 'b' }, order: { orderId: 'order-9' } };
    const payment = await createCompleted(ledger.client, { notifyUrl: `${receiver.url}?tenant=1`, extra });
    const [webhook] = await webhooks(receiver, payment.paymentId);
    expect(webhook!.path).toBe('/webhooks?tenant=1');
    expect(webhook!.body).toEqual({
      eventId: expect.stringMatching(idPattern('evt')),
      eventType: 'payment.completed',
      timestamp: payment.timeline['completedAt'],
      data: {
        paymentId: payment.paymentId,
        merchantId: ledger.client.credentials.merchantId,
        orderId: 'order-9',
        status: 'COMPLETED',
        amount: { value: '129.90', currency: 'EUR' },
        completedAt: payment.timeline['completedAt'],
      },
    });
    expect(payment.timeline['completedAt']).toMatch(TIME);
    const signatures = expectedSignatures(ledger.client.credentials.webhookSecret, webhook!);
    expect(webhook!.headers).toMatchObject({
      'content-type': 'application/json',
      'x-webhook-id': expect.stringMatching(idPattern('whd')),
      'x-event-type': 'payment.completed',
      'x-signature': signatures.xSignature,
      'x-event-sequence': expect.stringMatching(/^\d+$/),
      'x-webhook-attempt': '1',
      'webhook-id': webhook!.headers['x-webhook-id'],
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': signatures.webhookSignature,
      'user-agent': expect.stringMatching(/\S/),
    });
    expect(receiver.received).toHaveLength(1);
  });

  it('names the place of its event in the stream', async () => {
    const receiver = await receive();
    const { paymentId } = await createCompleted(ledger.client, { notifyUrl: receiver.url });
    const [webhook] = await webhooks(receiver, paymentId);
    const events = await eventsOf(ledger.service.dataDir, `payment-${paymentId.slice(4)}`);
    const captured = events.find(({ type }) => type === 'PaymentCaptured');
    expect(webhook!.headers['x-event-sequence']).toBe(String(captured?.revision));
  });
});

describe('other events', () => {
  it('tells of a payment that failed, with its error', async () => {
    const receiver = await receive();
    const created = await create(ledger.client, { card: CARDS.insufficientFunds, notifyUrl: receiver.url });
    const [webhook] = await webhooks(receiver, created.paymentId);
    const { timeline, error } = await read(ledger.client, created.paymentId);
    expect(webhook!.headers['x-event-type']).toBe('payment.failed');
    expect(webhook!.body).toMatchObject({ eventType: 'payment.failed', timestamp: timeline['failedAt'] });
    expect(webhook!.body.data).toEqual({
      paymentId: created.paymentId,
      merchantId: ledger.client.credentials.merchantId,
      orderId: 'order-1',
      status: 'FAILED',
      amount: { value: '129.90', currency: 'EUR' },
      failedAt: timeline['failedAt'],
      error,
    });
    expect(error?.code).toBe('INSUFFICIENT_FUNDS');
  });

  it('tells of an authorization where the capture is left to the merchant', async () => {
    const receiver = await receive();
    const extra = { captureMethod: 'MANUAL' };
    const { paymentId } = await create(ledger.client, { notifyUrl: receiver.url, extra });
    const [webhook] = await webhooks(receiver, paymentId);
    expect(webhook!.body).toMatchObject({ eventType: 'payment.authorized', data: { status: 'AUTHORIZED' } });
    expect(Object.keys(webhook!.body.data).at(-1)).toBe('authorizedAt');
  });

  it.each([
    ['refund.completed', CARDS.completes, 'COMPLETED'],
    ['refund.failed', CARDS.refundDeclined, 'FAILED'],
  ])('sends %s to where the refund says', async (eventType, card, status) => {
    const receiver = await receive();
    const ofRefund = await receive();
    const { paymentId } = await createCompleted(ledger.client, { card, notifyUrl: receiver.url });
    const here = await refund(ledger.client, paymentId, '1.00', { reason: 'r', referenceId: 'i' });
    const there = await refund(ledger.client, paymentId, '2.00', { notifyUrl: ofRefund.url });
    for (const [{ refundId }, at] of [[here, receiver] as const, [there, ofRefund] as const]) {
      const [webhook] = await webhooks(at, refundId);
      const resource = await untilRefundStatus(ledger.client, refundId, status);
      expect(webhook!.headers['x-event-type']).toBe(eventType);
      expect(webhook!.body.eventType).toBe(eventType);
      const { merchantId } = ledger.client.credentials;
      expect(webhook!.body.data).toEqual({ ...resource, merchantId, orderId: 'order-1' });
    }
    expect(receiver.of(there.refundId)).toHaveLength(0);
    expect(ofRefund.received).toHaveLength(1);
  });

  it('sends nothing where no URL was given', async () => {
    const { paymentId } = await createCompleted(ledger.client);
    const receiver = await receive();
    const later = await createCompleted(ledger.client, { notifyUrl: receiver.url });
    await webhooks(receiver, later.paymentId);
    expect(receiver.of(paymentId)).toHaveLength(0);
  });
});

describe('a receiver', () => {
  it('that fails gets the same webhook again; one that is gone gets no more, and redirects are not followed', async () => {
    const target = await receive();
    const failing = await receive(({ headers }) => (headers['x-webhook-attempt'] === '1' ? 500 : 200));
    const gone = await receive(() => 410);
    const moved = await receive(() => ({ status: 307, headers: { Location: target.url } }));
    const all = [failing, gone, moved];
    const payments = await Promise.all(all.map(({ url }) => createCompleted(ledger.client, { notifyUrl: url })));
    const [first, second] = await webhooks(failing, payments[0]!.paymentId, 2);

    expect([first!.headers['x-webhook-attempt'], second!.headers['x-webhook-attempt']]).toEqual(['1', '2']);
    for (const name of ['x-webhook-id', 'webhook-id', 'x-event-type', 'x-event-sequence']) {
      expect(second!.headers[name]).toBe(first!.headers[name]);
    }
    expect(second!.raw).toBe(first!.raw);
    const { webhookSecret } = ledger.client.credentials;
    const signatures = expectedSignatures(webhookSecret, second!);
    expect(second!.headers['webhook-signature']).toBe(signatures.webhookSignature);

    const [toGone] = await webhooks(gone, payments[1]!.paymentId);
    expect(await deliveryEvents(toGone!.headers['x-webhook-id'])).toMatchObject([
      { type: 'WebhookDeliveryExhausted', data: { cause: 'RECEIVER_GONE', attempt: 1 } },
    ]);
    const outcome = await eventually('the second attempt to be recorded', async () => {
      const events = await deliveryEvents(first!.headers['x-webhook-id']);
      return events.length >= 2 && events;
    });
    expect(outcome).toMatchObject([
      { type: 'WebhookAttemptFailed', data: { attempt: 1, failure: { httpStatus: 500 } } },
      { type: 'WebhookDelivered', data: { attempt: 2, httpStatus: 200 } },
    ]);
    // Both came at the same time as the one that was tried again: their turn for a second attempt has come, too.
    const [toMoved] = await webhooks(moved, payments[2]!.paymentId, 2);
    expect((await deliveryEvents(toMoved!.headers['x-webhook-id']))[0]).toMatchObject({ type: 'WebhookAttemptFailed' });
    expect(gone.received).toHaveLength(1);
    expect(target.received).toHaveLength(0);
  });

  it('that asks at once finds in the read what the webhook tells', async () => {
    const seen: string[] = [];
    const receiver = await receive(async ({ body }) => {
      const { data } = body;
      const refundId = data['refundId'] as string | undefined;
      const answer =
        refundId === undefined
          ? await ledger.client.payment(String(data['paymentId']))
          : await ledger.client.readRefund(refundId);
      seen.push(`${body.eventType}: told ${String(data['status'])}, read ${String(answer.body['status'])}`);
      return 204;
    });
    const change = { notifyUrl: receiver.url };
    const created = await Promise.all([
      ...Array.from({ length: 30 }, () => create(ledger.client, change)),
      ...Array.from({ length: 10 }, () => create(ledger.client, { ...change, card: CARDS.declined })),
      ...Array.from({ length: 10 }, () => create(ledger.client, { ...change, extra: { captureMethod: 'MANUAL' } })),
    ]);
    const first = created[0]!.paymentId;
    await untilStatus(ledger.client, first, 'COMPLETED');
    await Promise.all(Array.from({ length: 10 }, () => refund(ledger.client, first, '1.00')));
    await eventually('all webhooks', async () => seen.length >= 60);
    const counts: Record<string, number> = {};
    for (const line of seen) counts[line] = (counts[line] ?? 0) + 1;
    expect(counts).toEqual({
      'payment.completed: told COMPLETED, read COMPLETED': 30,
      'payment.failed: told FAILED, read FAILED': 10,
      'payment.authorized: told AUTHORIZED, read AUTHORIZED': 10,
      'refund.completed: told COMPLETED, read COMPLETED': 10,
    });
  });

  it('that never answers, or refuses to connect, does not hold up another', async () => {
    const silent = await receive(() => 'never');
    const deaf = await DeafReceiver.start();
    const good = await receive();
    const dead = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        create(ledger.client, { notifyUrl: index % 2 === 0 ? silent.url : deaf.url }),
      ),
    );
    await Promise.all(dead.map(({ paymentId }) => untilStatus(ledger.client, paymentId, 'COMPLETED')));
    await eventually('the dead ones to be tried', async () => silent.received.length > 0 && deaf.connections > 0);
    const alive = await Promise.all(
      Array.from({ length: 20 }, () => createCompleted(ledger.client, { notifyUrl: good.url })),
    );
    for (const { paymentId } of alive) await webhooks(good, paymentId);
    // None of the silent ones has been given up: the good ones did not have to wait for that.
    const [first] = silent.received;
    expect(await deliveryEvents(first!.headers['x-webhook-id'])).toEqual([]);
    await deaf.stop();
  });
});

/** Takes connections and says nothing on them, not even HTTP. */
class DeafReceiver {
  connections = 0;
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((socket) => {
    this.connections += 1;
    this.sockets.add(socket.on('error', () => undefined));
  });

  static async start(): Promise<DeafReceiver> {
    const deaf = new DeafReceiver();
    deaf.server.listen(0, '127.0.0.1');
    await once(deaf.server, 'listening');
    return deaf;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}
