import { useLedger } from '../support/ledger';
import { accepted, euros, listOf } from '../support/payment-actions';
import {
  bodyOf,
  CARDS,
  create,
  createCompleted,
  type CreatedPayment,
  refund,
  type RefundBody,
  untilRefundStatus,
  untilStatus,
} from '../support/payments';
import { eventually } from '../support/service';
import { type ReceivedWebhook, WebhookReceiver } from '../support/webhook-receiver';

let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await WebhookReceiver.start();
});
afterAll(() => receiver.stop());

const ledger = useLedger();

function webhooksOf(paymentId: string, count: number): Promise<readonly ReceivedWebhook[]> {
  return eventually(`${count} webhooks about ${paymentId}`, async () => {
    const received = receiver.of(paymentId);
    return received.length >= count && received;
  });
}

describe('webhooks and the public events of a payment', () => {
  it('tell of the hold where the merchant captures, then of its end, and the list says the same', async () => {
    const notified = { notifyUrl: receiver.url, extra: { captureMethod: 'MANUAL' } };
    const { paymentId } = await create(ledger.client, notified);
    const held = await untilStatus(ledger.client, paymentId, 'AUTHORIZED');
    await webhooksOf(paymentId, 1);
    await accepted(ledger.client, 'cancel', paymentId);
    const ended = await untilStatus(ledger.client, paymentId, 'CANCELLED');
    const received = await webhooksOf(paymentId, 2);
    const common = {
      paymentId,
      merchantId: ledger.client.credentials.merchantId,
      orderId: 'order-1',
      amount: held.amount,
    };
    const { authorizedAt, cancelledAt } = ended.timeline;
    expect(received.map(({ body }) => [body.eventType, body.timestamp, body.data])).toEqual([
      ['payment.authorized', authorizedAt, { ...common, status: 'AUTHORIZED', authorizedAt }],
      ['payment.cancelled', cancelledAt, { ...common, status: 'CANCELLED', cancelledAt }],
    ]);
    expect(await listOf(ledger.client, paymentId, 'events')).toEqual(received.map(({ body }) => body));
  });

  it('tell of the captured amount, and of refunds; without manual capture not of the hold', async () => {
    const partial = await create(ledger.client, { notifyUrl: receiver.url, extra: { captureMethod: 'MANUAL' } });
    await untilStatus(ledger.client, partial.paymentId, 'AUTHORIZED');
    await accepted(ledger.client, 'capture', partial.paymentId, euros('30'));
    const automatic = await createCompleted(ledger.client, { notifyUrl: receiver.url });
    await untilStatus(ledger.client, partial.paymentId, 'COMPLETED');
    const { refundId } = await refund(ledger.client, automatic.paymentId, '1.00');
    await untilRefundStatus(ledger.client, refundId, 'COMPLETED');
    type Told = { eventType: string; data: { amount: { value: string } } };
    const told = async ({ paymentId }: Pick<CreatedPayment, 'paymentId'>) =>
      (await listOf<Told>(ledger.client, paymentId, 'events')).map(
        ({ eventType, data }) => `${eventType} ${data.amount.value}`,
      );
    expect(await told(partial)).toEqual(['payment.authorized 129.90', 'payment.completed 30.00']);
    expect(await told(automatic)).toEqual(['payment.completed 129.90', 'refund.completed 1.00']);
    const sent = await webhooksOf(automatic.paymentId, 2);
    expect(await listOf(ledger.client, automatic.paymentId, 'events')).toEqual(sent.map(({ body }) => body));
    await webhooksOf(partial.paymentId, 2);
  });

  it('say nothing while there is nothing to tell', async () => {
    const { paymentId } = await create(ledger.client, { card: CARDS.challenge });
    expect(await listOf(ledger.client, paymentId, 'events')).toEqual([]);
    expect(await listOf(ledger.client, paymentId, 'refunds')).toEqual([]);
  });
});

it('shows refunds and events of a payment page by page', async () => {
  const { client } = ledger;
  const { paymentId } = await createCompleted(client);
  const refunds: string[] = [];
  for (let count = 0; count < 3; count += 1) refunds.push((await refund(client, paymentId, '1.00')).refundId);
  for (const refundId of refunds) await untilRefundStatus(client, refundId, 'COMPLETED');
  const get = (path: string) => client.send('GET', `/api/v2/payments/${paymentId}/${path}`, undefined, {}, false);
  interface Page {
    readonly items: readonly { readonly refundId?: string; readonly eventType?: string }[];
    readonly nextCursor: string | null;
  }
  const first = bodyOf<Page>(await get('refunds?limit=2'), 200);
  const rest = bodyOf<Page>(await get(`refunds?limit=2&cursor=${first.nextCursor}`), 200);
  expect([first.items, rest.items].map((items) => items.map(({ refundId }) => refundId))).toEqual([
    refunds.slice(0, 2),
    refunds.slice(2),
  ]);
  expect(rest.nextCursor).toBeNull();
  const events = bodyOf<Page>(await get('events?limit=1'), 200);
  expect(events.items.map(({ eventType }) => eventType)).toEqual(['payment.completed']);
  const refusals = ['refunds?limit=101', 'events?limit=0', `events?cursor=${first.nextCursor}`].map(get);
  expect((await Promise.all(refusals)).map(({ status, body }) => [status, body['error']])).toMatchObject([
    [400, { code: 'VALIDATION_FAILED' }],
    [400, { code: 'VALIDATION_FAILED' }],
    [400, { code: 'CURSOR_INVALID' }],
  ]);
});

it('lists the refunds of a payment in the order in which they were accepted, none missing', async () => {
  const { paymentId } = await createCompleted(ledger.client, { value: '100.00' });
  const answered: string[] = [];
  for (let count = 1; count <= 5; count += 1) {
    answered.push((await refund(ledger.client, paymentId, `${count}.00`)).refundId);
    expect((await listOf<RefundBody>(ledger.client, paymentId, 'refunds')).map(({ refundId }) => refundId)).toEqual(
      answered,
    );
  }
  const many = await Promise.all(Array.from({ length: 20 }, () => refund(ledger.client, paymentId, '1.00')));
  const all = (await listOf<RefundBody>(ledger.client, paymentId, 'refunds')).map(({ refundId }) => refundId);
  expect(all.slice(0, 5)).toEqual(answered);
  expect(new Set(all.slice(5))).toEqual(new Set(many.map(({ refundId }) => refundId)));
  const settled = await Promise.all(all.map((refundId) => untilRefundStatus(ledger.client, refundId, 'COMPLETED')));
  expect(await listOf(ledger.client, paymentId, 'refunds')).toEqual(settled);
});
