import { registerMerchant, useLedger } from '../support/ledger';
import type { MerchantClient } from '../support/merchant-client';
import { accepted } from '../support/payment-actions';
import {
  bodyOf,
  CARDS,
  create,
  createCompleted,
  type ErrorBody,
  type ReadPayment,
  refund,
  untilRefundStatus,
  untilStatus,
} from '../support/payments';
import { eventually } from '../support/service';
import { type ReceivedWebhook, WebhookReceiver } from '../support/webhook-receiver';

interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

const ledger = useLedger();

async function get<T>(client: MerchantClient, path: string): Promise<T> {
  return bodyOf<T>(await client.send('GET', path, undefined, {}, false), 200);
}

function page(client: MerchantClient, query: Readonly<Record<string, string>>): Promise<Page<ReadPayment>> {
  return get(client, `/api/v2/payments?${new URLSearchParams(query).toString()}`);
}

async function refusal(client: MerchantClient, path: string) {
  const answer = await client.send('GET', path, undefined, {}, false);
  return { status: answer.status, code: (answer.body as unknown as ErrorBody).error.code };
}

/** All pages from the first one on; `between` runs after each of them. */
async function allPages(
  client: MerchantClient,
  query: Readonly<Record<string, string>>,
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<readonly ReadPayment[]> {
  const items: ReadPayment[] = [];
  let cursor: string | null = null;
  do {
    const next: Page<ReadPayment> = await page(client, cursor === null ? query : { ...query, cursor });
    items.push(...next.items);
    cursor = next.nextCursor;
    await between();
  } while (cursor !== null);
  return items;
}

const idsOf = (payments: readonly ReadPayment[]) => payments.map(({ paymentId }) => paymentId);

describe('the list of payments', () => {
  it('shows every payment of the first page’s moment exactly once, newest first, while others are being created', async () => {
    const client = await registerMerchant(ledger.service, 'Pages');
    const before: string[] = [];
    for (let count = 0; count < 25; count += 1) {
      before.push((await create(client, { card: CARDS.challenge })).paymentId);
    }
    const createMore = () => Promise.all(Array.from({ length: 6 }, () => create(client, { card: CARDS.challenge })));
    const listed = await allPages(client, { limit: '7' }, createMore);
    expect(idsOf(listed)).toEqual(expect.arrayContaining(before));
    expect(idsOf(listed).filter((id) => before.includes(id))).toHaveLength(25);
    expect(new Set(idsOf(listed)).size).toBe(listed.length);
    const times = listed.map(({ timeline }) => timeline['createdAt'] ?? '');
    expect(times).toEqual([...times].sort().reverse());
    // What was acknowledged before the first page was asked for is never missing from it.
    expect(idsOf((await page(client, { limit: '25' })).items)).toHaveLength(25);
  });

  it('shows each as a read does, and nothing of another merchant’s', async () => {
    const client = await registerMerchant(ledger.service, 'Same');
    const other = await registerMerchant(ledger.service, 'Other');
    const { paymentId } = await createCompleted(client);
    const [listed] = (await page(client, {})).items;
    expect(listed).toEqual(bodyOf(await client.payment(paymentId), 200));
    expect(await page(other, {})).toEqual({ items: [], nextCursor: null });
  });

  it('says what each is for, and what its customer still has to do, but not where', async () => {
    const client = await registerMerchant(ledger.service, 'Reconciliation');
    const extra = { order: { orderId: 'o-9' }, captureMethod: 'MANUAL' };
    const waiting = await create(client, { card: CARDS.challenge, extra });
    const risky = await create(client, { card: '4000000000009235', extra: { order: { orderId: 'o-8' } } });
    await untilStatus(client, risky.paymentId, 'COMPLETED');
    const [second, first] = (await page(client, {})).items;
    expect(second).toMatchObject({
      paymentId: risky.paymentId,
      orderId: 'o-8',
      payer: { payerId: 'payer-1', maskedCardNumber: '400000******9235' },
      captureMethod: 'AUTOMATIC',
      riskLevel: 'MEDIUM',
    });
    expect(second).not.toHaveProperty('nextAction');
    expect(first).toMatchObject({ paymentId: waiting.paymentId, orderId: 'o-9', captureMethod: 'MANUAL' });
    const { expiresAt } = waiting.timeline;
    expect(first?.nextAction).toEqual({ type: '3DS_AUTHENTICATION', expiresAt });
    const { nextAction, ...rest } = bodyOf<ReadPayment>(await client.payment(waiting.paymentId), 200);
    expect(nextAction).toEqual({ ...waiting.nextAction, expiresAt });
    expect(first).toMatchObject(rest);
    await accepted(client, 'cancel', waiting.paymentId);
    await untilStatus(client, waiting.paymentId, 'CANCELLED');
    const ended = (await page(client, { status: 'CANCELLED' })).items;
    expect(ended).toEqual([bodyOf(await client.payment(waiting.paymentId), 200)]);
    expect(ended[0]).not.toHaveProperty('nextAction');
  });

  it('filters by status, order, payer, currency and time, alone and together', async () => {
    const client = await registerMerchant(ledger.service, 'Filters');
    const order = (orderId: string) => ({ extra: { order: { orderId } } });
    const done = await createCompleted(client, order('o-1'));
    const failed = await create(client, { ...order('o-1'), card: CARDS.declined });
    await untilStatus(client, failed.paymentId, 'FAILED');
    const waiting = await create(client, { card: CARDS.challenge, value: '5', currency: 'JPY', ...order('o-2') });
    const shown = async (query: Readonly<Record<string, string>>) => idsOf(await allPages(client, query));
    expect(await shown({ status: 'COMPLETED' })).toEqual([done.paymentId]);
    expect(await shown({ orderId: 'o-1' })).toEqual([failed.paymentId, done.paymentId]);
    expect(await shown({ orderId: 'o-1', status: 'FAILED' })).toEqual([failed.paymentId]);
    expect(await shown({ payerId: 'payer-1', currency: 'JPY' })).toEqual([waiting.paymentId]);
    expect(await shown({ payerId: 'nobody' })).toEqual([]);
    const [from, to] = [done.timeline['createdAt'] ?? '', waiting.timeline.createdAt];
    expect(await shown({ createdFrom: from, createdTo: to })).toEqual([failed.paymentId, done.paymentId]);
    expect(await shown({ createdTo: from })).toEqual([]);
  });

  it.each([
    ['limit=0', 'VALIDATION_FAILED'],
    ['limit=101', 'VALIDATION_FAILED'],
    ['status=DONE', 'VALIDATION_FAILED'],
    ['createdFrom=yesterday', 'VALIDATION_FAILED'],
    ['createdFrom=2030-01-01T00:00:00Z&createdTo=2030-01-01T01:00:00%2B02:00', 'VALIDATION_FAILED'],
    ['createdFrom=2030-01-01T00:00:00Z&createdTo=2030-01-01T02:00:00+02:00', 'VALIDATION_FAILED'],
    ['page=2', 'VALIDATION_FAILED'],
    ['cursor=abc', 'CURSOR_INVALID'],
  ])('refuses ?%s', async (query, code) => {
    expect(await refusal(ledger.client, `/api/v2/payments?${query}`)).toEqual({ status: 400, code });
  });

  it('takes a time of another zone, its plus encoded or not', async () => {
    for (const plus of ['+', '%2B']) {
      const path = `/api/v2/payments?createdFrom=2030-01-01T00:00:00${plus}02:00`;
      expect((await ledger.client.send('GET', path, undefined, {}, false)).status).toBe(200);
    }
  });

  it('refuses a cursor of another list', async () => {
    const client = await registerMerchant(ledger.service, 'Cursors');
    await create(client, { card: CARDS.challenge });
    await create(client, { card: CARDS.challenge });
    const { nextCursor } = await page(client, { limit: '1' });
    expect(nextCursor).not.toBeNull();
    const path = `/api/v2/payments?limit=1&status=PROCESSING&cursor=${nextCursor}`;
    expect(await refusal(client, path)).toEqual({ status: 400, code: 'CURSOR_INVALID' });
  });
});

describe('the feed of public events', () => {
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
  });
  afterAll(() => receiver.stop());

  it('tells what the webhooks told, in order, from any event on', async () => {
    const client = await registerMerchant(ledger.service, 'Feed');
    const { paymentId } = await createCompleted(client, { notifyUrl: receiver.url });
    const { refundId } = await refund(client, paymentId, '10.00');
    await untilRefundStatus(client, refundId, 'COMPLETED');
    const failed = await create(client, { card: CARDS.declined, notifyUrl: receiver.url });
    await untilStatus(client, failed.paymentId, 'FAILED');
    const sent = () => [...receiver.of(paymentId), ...receiver.of(failed.paymentId)];
    await eventually('all three webhooks', () => Promise.resolve(sent().length >= 3));
    const feed = await get<Page<ReceivedWebhook['body']>>(client, '/api/v2/events');
    expect(feed.items.map(({ eventType }) => eventType)).toEqual([
      'payment.completed',
      'refund.completed',
      'payment.failed',
    ]);
    const byId = new Map(sent().map(({ body }) => [body.eventId, body]));
    expect(feed.items.map(({ eventId }) => byId.get(eventId))).toEqual(feed.items);
    const [first, second] = feed.items;
    const rest = await get<Page<unknown>>(client, `/api/v2/events?after=${first?.eventId}&limit=1`);
    expect(rest).toEqual({ items: [second], nextCursor: expect.any(String) });
    const last = await get<Page<unknown>>(client, `/api/v2/events?cursor=${rest.nextCursor}`);
    expect(last).toEqual({ items: feed.items.slice(2), nextCursor: null });
    // As from any other list, a client may go on with the same query and the cursor added.
    expect(await get(client, `/api/v2/events?after=${first?.eventId}&cursor=${rest.nextCursor}`)).toEqual(last);
    const whole = await get<Page<unknown>>(client, '/api/v2/events?limit=2');
    expect(await get(client, `/api/v2/events?limit=2&cursor=${whole.nextCursor}`)).toEqual(last);
    const foreign = `/api/v2/events?after=${first?.eventId}`;
    expect(await refusal(ledger.client, foreign)).toEqual({ status: 400, code: 'CURSOR_INVALID' });
  });
});

describe('balances', () => {
  it('are kept per currency and follow captures and refunds', async () => {
    const client = await registerMerchant(ledger.service, 'Balances');
    expect(await get(client, '/api/v2/balances')).toEqual({ items: [], nextCursor: null });
    const { paymentId } = await createCompleted(client, { value: '100.00' });
    await createCompleted(client, { value: '7', currency: 'JPY' });
    const pending = await createCompleted(client, { value: '40.00', card: CARDS.refundPending });
    const { refundId } = await refund(client, paymentId, '30.00');
    await untilRefundStatus(client, refundId, 'COMPLETED');
    await refund(client, pending.paymentId, '15.00');
    const eur = {
      currency: 'EUR',
      gatewayReceivable: '110.00',
      merchantPayable: '95.00',
      refundsPending: '15.00',
      feesEarned: '0.00',
      chargebacks: '0.00',
    };
    const jpy = {
      currency: 'JPY',
      gatewayReceivable: '7',
      merchantPayable: '7',
      refundsPending: '0',
      feesEarned: '0',
      chargebacks: '0',
    };
    await eventually('the balances to follow', async () => {
      const { items } = await get<Page<unknown>>(client, '/api/v2/balances');
      return JSON.stringify(items) === JSON.stringify([eur, jpy]);
    });
    const first = await get<Page<unknown>>(client, '/api/v2/balances?limit=1');
    expect(first.items).toEqual([eur]);
    const rest = `/api/v2/balances?limit=1&cursor=${first.nextCursor}`;
    expect(await get(client, rest)).toEqual({ items: [jpy], nextCursor: null });
    expect(await refusal(ledger.client, rest)).toEqual({ status: 400, code: 'CURSOR_INVALID' });
  });

  it('have a statement, whose pages and periods follow on each other', async () => {
    const client = await registerMerchant(ledger.service, 'Statements');
    const { paymentId } = await createCompleted(client, { value: '100.00' });
    const { refundId } = await refund(client, paymentId, '30.00');
    await untilRefundStatus(client, refundId, 'COMPLETED');
    const path = '/api/v2/balances/statement?currency=EUR';
    const whole = await eventually('the statement to follow', async () => {
      const statement = await get<Statement>(client, path);
      return statement.items.length === 3 ? statement : null;
    });
    const sums = (gatewayReceivable: string, merchantPayable: string, refundsPending: string) => {
      return { gatewayReceivable, merchantPayable, refundsPending, feesEarned: '0.00' };
    };
    expect(whole).toMatchObject({
      currency: 'EUR',
      opening: sums('0.00', '0.00', '0.00'),
      items: [
        { number: 1, type: 'payment.captured', paymentId, balance: sums('100.00', '100.00', '0.00') },
        { number: 2, type: 'refund.requested', paymentId, refundId, change: sums('0.00', '-30.00', '30.00') },
        { number: 3, type: 'refund.completed', paymentId, refundId, change: sums('-30.00', '0.00', '-30.00') },
      ],
      closing: sums('70.00', '70.00', '0.00'),
      nextCursor: null,
    });
    const first = await get<Statement>(client, `${path}&limit=2`);
    expect(first.items).toEqual(whole.items.slice(0, 2));
    const rest = await get<Statement>(client, `${path}&limit=2&cursor=${first.nextCursor}`);
    expect(rest).toEqual({ ...whole, opening: first.closing, items: whole.items.slice(2) });
    const { time } = whole.items[2]!;
    const before = await get<Statement>(client, `${path}&to=${time}`);
    const after = await get<Statement>(client, `${path}&from=${time}`);
    expect(after.opening).toEqual(before.closing);
    expect([...before.items, ...after.items]).toEqual(whole.items);
    const cursor = `${path}&limit=2&cursor=${first.nextCursor}&to=${time}`;
    expect(await refusal(client, cursor)).toEqual({ status: 400, code: 'CURSOR_INVALID' });
    for (const wrong of ['', '?currency=XXX', `?currency=EUR&from=${time}&to=${time}`]) {
      const refused = await refusal(client, `/api/v2/balances/statement${wrong}`);
      expect(refused).toEqual({ status: 400, code: 'VALIDATION_FAILED' });
    }
  });
});

interface Statement extends Page<{ readonly time: string }> {
  readonly opening: object;
  readonly closing: object;
}
