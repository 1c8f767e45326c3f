import { useLedger } from '../support/ledger';
import type { Delivery, DeliveryPage } from '../support/deliveries';
import type { MerchantClient } from '../support/merchant-client';
import { OperatorClient } from '../support/operator-client';
import { bodyOf, create, createCompleted, idPattern, refund, TIME, untilRefundStatus } from '../support/payments';
import { refusal } from '../support/refusal';
import { eventually } from '../support/service';
import { type ReceivedWebhook, type Reply, WebhookReceiver } from '../support/webhook-receiver';

const LIST = '/api/v2/webhook-deliveries';
const UNKNOWN = `whd_${'0'.repeat(26)}`;
const GONE = 410;

const receivers: WebhookReceiver[] = [];
afterAll(() => Promise.all(receivers.map((receiver) => receiver.stop())));

const ledger = useLedger();
let operator: OperatorClient;
let merchant: MerchantClient;
/** What the receiver answers from here on. */
let reply: Reply;
let receiver: WebhookReceiver;

beforeEach(async () => {
  operator = new OperatorClient(ledger.service);
  merchant = await operator.register('Shop');
  reply = 204;
  receiver = await WebhookReceiver.start(() => reply);
  receivers.push(receiver);
});

const send = (method: string, path: string, client = merchant) => client.send(method, path, undefined, {}, false);
const list = async (query = '', client = merchant) =>
  bodyOf<DeliveryPage>(await send('GET', LIST + query, client), 200);
const redeliver = (deliveryId: string, client = merchant) => send('POST', `${LIST}/${deliveryId}/redeliver`, client);
const notifying = () => ({ notifyUrl: receiver.url });

/** The merchant's deliveries once there are so many, all with this status; the newest first. */
function untilAll(status: string, count = 1): Promise<readonly Delivery[]> {
  return eventually(`${count} deliveries to be ${status}`, async () => {
    const { items } = await list('?limit=100');
    return items.length >= count && items.every((item) => item.status === status) && items;
  });
}

async function only(status: string): Promise<Delivery> {
  const [delivery] = await untilAll(status);
  return delivery!;
}

function webhooks(count: number): Promise<readonly ReceivedWebhook[]> {
  return eventually(`${count} webhooks`, async () => receiver.received.length >= count && receiver.received);
}

describe('a delivery', () => {
  it('is shown with what became of it', async () => {
    const { paymentId, timeline } = await createCompleted(merchant, notifying());
    const delivery = await only('DELIVERED');
    const [webhook] = await webhooks(1);
    expect(delivery).toEqual({
      deliveryId: webhook!.headers['x-webhook-id'],
      merchantId: merchant.credentials.merchantId,
      paymentId,
      eventId: webhook!.body.eventId,
      eventType: 'payment.completed',
      url: receiver.url,
      status: 'DELIVERED',
      createdAt: timeline['completedAt'],
      nextAttemptAt: null,
      attemptCount: 1,
      attempts: [
        {
          attempt: 1,
          at: expect.stringMatching(TIME),
          outcome: 'DELIVERED',
          httpStatus: 204,
          failureCode: null,
          durationMs: expect.any(Number),
        },
      ],
    });
    expect(delivery.deliveryId).toMatch(idPattern('whd'));
  });

  it('that is exhausted is listed as such, and made again by hand', async () => {
    reply = GONE;
    await createCompleted(merchant, notifying());
    const exhausted = await only('EXHAUSTED');
    expect(exhausted).toMatchObject({
      nextAttemptAt: null,
      attempts: [{ attempt: 1, outcome: 'FAILED', httpStatus: GONE, failureCode: 'HTTP_410' }],
    });
    expect((await list('?status=EXHAUSTED')).items).toEqual([exhausted]);
    expect((await list('?status=DELIVERED')).items).toEqual([]);

    reply = 200;
    const answer = await redeliver(exhausted.deliveryId);
    expect(bodyOf<Delivery>(answer, 202).deliveryId).toBe(exhausted.deliveryId);
    const [first, second] = await webhooks(2);
    expect(second!.raw).toBe(first!.raw);
    expect(second!.headers['x-webhook-id']).toBe(first!.headers['x-webhook-id']);
    expect(second!.headers['x-webhook-attempt']).toBe('2');
    const delivered = await only('DELIVERED');
    expect(delivered).toMatchObject({ attemptCount: 2, attempts: [{ attempt: 1 }, { attempt: 2, httpStatus: 200 }] });
    expect((await list('?status=EXHAUSTED')).items).toEqual([]);
  });

  it('that was delivered may be made again, too, by its merchant or by the operator', async () => {
    await createCompleted(merchant, notifying());
    const { deliveryId } = await only('DELIVERED');
    reply = 500;
    const again = bodyOf<Delivery>(await redeliver(deliveryId), 202);
    // By now the attempt may have been made, and have failed.
    expect(again).toMatchObject({ status: 'PENDING', nextAttemptAt: expect.stringMatching(TIME) });
    await webhooks(2);
    await eventually('the second attempt to be shown', async () => (await only('PENDING')).attemptCount === 2);
    reply = 204;
    bodyOf(await operator.send('POST', `/webhook-deliveries/${deliveryId}/redeliver`), 202);
    const attempts = (await webhooks(3)).map(({ headers }) => headers['x-webhook-attempt']);
    expect(attempts).toEqual(['1', '2', '3']);
    expect(await only('DELIVERED')).toMatchObject({ attemptCount: 3 });
  });

  it('that waits for its next attempt has it at once, and its retries begin anew', async () => {
    reply = 500;
    await createCompleted(merchant, notifying());
    const waiting = await eventually('a first attempt', async () => {
      const { items } = await list();
      return items[0]?.attemptCount === 1 && items[0];
    });
    expect(waiting).toMatchObject({ status: 'PENDING', attempts: [{ failureCode: 'HTTP_500' }] });
    bodyOf(await redeliver(waiting.deliveryId), 202);
    const tried = await eventually('the attempt that was asked for', async () => {
      const { items } = await list();
      return items[0]?.attemptCount === 2 && items[0];
    });
    // Without the redelivery a second failure would be followed by five minutes of waiting.
    const waitMs = Date.parse(tried.nextAttemptAt!) - Date.parse(tried.attempts[1]!.at);
    expect(waitMs).toBeGreaterThan(3_500);
    expect(waitMs).toBeLessThan(6_500);
  });

  it("of another merchant is not there, to the very byte, nor is one that doesn't exist", async () => {
    await createCompleted(merchant, notifying());
    const { deliveryId } = await only('DELIVERED');
    const other = await operator.register('Another');
    const texts = new Set<string>();
    for (const id of [deliveryId, UNKNOWN, 'whd_', 'x', '__proto__']) {
      const answer = await redeliver(id, other);
      expect(refusal(answer)).toEqual([404, 'DELIVERY_NOT_FOUND', []]);
      texts.add(answer.text.replace(/"requestId":"[^"]+"/, ''));
    }
    expect(texts.size).toBe(1);
    const answer = await operator.send('POST', `/webhook-deliveries/${UNKNOWN}/redeliver`);
    expect(refusal(answer)).toEqual([404, 'DELIVERY_NOT_FOUND', []]);
    expect((await list('', other)).items).toEqual([]);
    expect(receiver.received).toHaveLength(1);
  });
});

describe('the list of deliveries', () => {
  it('is read page by page, the newest first, each one once', async () => {
    for (let count = 0; count < 5; count += 1) await create(merchant, notifying());
    const whole = await untilAll('DELIVERED', 5);
    const seen: Delivery[] = [];
    const sizes: number[] = [];
    for (let query = '?limit=2'; ;) {
      const { items, nextCursor } = await list(query);
      sizes.push(items.length);
      seen.push(...items);
      if (nextCursor === null) break;
      query = `?limit=2&cursor=${nextCursor}`;
      // What comes while it is being read stands before the first page.
      await create(merchant, notifying());
    }
    expect(sizes).toEqual([2, 2, 1]);
    expect(seen).toEqual(whole);
    const times = whole.map(({ createdAt }) => createdAt);
    expect(times).toEqual([...times].sort().reverse());
  });

  it('takes its own cursors only', async () => {
    for (let count = 0; count < 3; count += 1) await create(merchant, notifying());
    await untilAll('DELIVERED', 3);
    const { nextCursor } = await list('?limit=1');
    expect((await list(`?limit=2&cursor=${nextCursor}`)).items).toHaveLength(2);
    const other = await operator.register('Another');
    const strange = [
      await send('GET', `${LIST}?status=DELIVERED&cursor=${nextCursor}`),
      await send('GET', `${LIST}?cursor=${nextCursor}`, other),
      await operator.send('GET', `/webhook-deliveries?cursor=${nextCursor}`),
    ];
    for (const cursor of ['', 'x', '%00', `${nextCursor}A`, String(nextCursor).slice(0, -1)]) {
      strange.push(await send('GET', `${LIST}?cursor=${cursor}`));
    }
    for (const answer of strange) expect(refusal(answer)).toEqual([400, 'CURSOR_INVALID', []]);
  });

  it.each<readonly [query: string, field: string, code?: string]>([
    ['?limit=0', 'limit'],
    ['?limit=101', 'limit'],
    ['?limit=1.0', 'limit'],
    ['?limit=+1', 'limit'],
    ['?limit=', 'limit'],
    ['?limit=1&limit=1', 'limit'],
    ['?status=delivered', 'status'],
    ['?status=PENDING&status=PENDING', 'status'],
    ['?page=2', 'page', 'UNKNOWN_FIELD'],
    ['?__proto__=2', '__proto__', 'UNKNOWN_FIELD'],
    ['?merchantId=x', 'merchantId', 'UNKNOWN_FIELD'],
  ])('refuses %s', async (query, field, code = 'INVALID_FORMAT') => {
    expect(refusal(await send('GET', LIST + query))).toEqual([400, 'VALIDATION_FAILED', [`${field}: ${code}`]]);
  });

  it('refuses a cursor of a length that none has', async () => {
    const answer = await send('GET', `${LIST}?cursor=${'A'.repeat(1_025)}`);
    expect(refusal(answer)).toEqual([400, 'VALIDATION_FAILED', ['cursor: TOO_LONG']]);
  });

  it('shows the operator every merchant, or one', async () => {
    const other = await operator.register('Another');
    await createCompleted(merchant, notifying());
    const mine = await only('DELIVERED');
    await createCompleted(other, notifying());
    const [theirs] = await eventually('the other delivery', async () => {
      const { items } = await list('?status=DELIVERED', other);
      return items.length > 0 && items;
    });
    const seen = async (query: string) =>
      bodyOf<DeliveryPage>(await operator.send('GET', `/webhook-deliveries${query}`), 200).items;
    expect((await seen('?limit=2&status=DELIVERED')).map(({ deliveryId }) => deliveryId)).toEqual([
      theirs!.deliveryId,
      mine.deliveryId,
    ]);
    const { merchantId } = merchant.credentials;
    expect(await seen(`?merchantId=${merchantId}`)).toEqual([mine]);
    expect(await seen(`?merchantId=${merchantId}&status=DELIVERED`)).toEqual([mine]);
    expect(await seen(`?merchantId=${merchantId}&status=EXHAUSTED`)).toEqual([]);
    expect(await seen('?merchantId=nobody')).toEqual([]);
  });
});

it('the list of deliveries of one payment is for its merchant and the operator', async () => {
  const { paymentId } = await createCompleted(merchant, notifying());
  const { refundId } = await refund(merchant, paymentId, '1.00');
  await untilRefundStatus(merchant, refundId, 'COMPLETED');
  await createCompleted(merchant, notifying());
  const about = (await untilAll('DELIVERED', 3)).filter((delivery) => delivery.paymentId === paymentId);
  const query = `?paymentId=${paymentId}`;
  const first = await list(`${query}&limit=1`);
  const rest = await list(`${query}&cursor=${first.nextCursor}`);
  expect([first.items, rest]).toEqual([about.slice(0, 1), { items: [about[1]], nextCursor: null }]);
  const seen = bodyOf(await operator.send('GET', `/webhook-deliveries${query}&status=DELIVERED`), 200);
  expect(seen).toEqual({ items: about, nextCursor: null });
  expect((await list(query, await operator.register('Another'))).items).toEqual([]);
});

describe('deliveries of a span of time', () => {
  interface Redelivered {
    readonly requested: number;
    readonly nextCursor: string | null;
  }

  const ask = async (range: Readonly<Record<string, unknown>>) => {
    const { merchantId } = merchant.credentials;
    const answer = await operator.send('POST', '/webhook-deliveries/redeliver', { merchantId, ...range });
    return bodyOf<Redelivered>(answer, 202);
  };
  const later = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString();

  it('are made again if they were created at its beginning or later, and before its end', async () => {
    reply = GONE;
    for (let count = 0; count < 3; count += 1) await createCompleted(merchant, notifying());
    const [last, middle, first] = await untilAll('EXHAUSTED', 3);
    const span = { from: first!.createdAt, to: last!.createdAt };
    reply = 204;
    expect(await ask({ ...span, status: 'DELIVERED' })).toEqual({ requested: 0, nextCursor: null });
    expect(await ask({ ...span, status: 'EXHAUSTED', merchantId: 'nobody' })).toMatchObject({ requested: 0 });
    expect(await ask({ ...span, status: 'EXHAUSTED' })).toEqual({ requested: 2, nextCursor: null });
    await webhooks(5);
    const delivered = await eventually('two deliveries', async () => {
      const { items } = await list('?status=DELIVERED');
      return items.length === 2 && items;
    });
    expect(delivered.map(({ deliveryId }) => deliveryId)).toEqual([middle!.deliveryId, first!.deliveryId]);
    expect((await list('?status=EXHAUSTED')).items).toEqual([last]);
  });

  it('that are more than one call takes are gone through call by call', async () => {
    const count = 205;
    reply = GONE;
    for (let done = 0; done < count; done += 41) {
      await Promise.all(Array.from({ length: 41 }, () => create(merchant, notifying())));
    }
    const ended = await eventually('all to be given up', async () => {
      const all: Delivery[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: DeliveryPage = await list(`?status=EXHAUSTED&limit=100${cursor && `&cursor=${cursor}`}`);
        all.push(...page.items);
        cursor = page.nextCursor;
      }
      return all.length === count && all;
    });
    const range = { from: ended.at(-1)!.createdAt, to: later(ended[0]!.createdAt, 1), status: 'EXHAUSTED' };
    reply = 204;
    const one = await ask(range);
    expect(one).toEqual({ requested: 200, nextCursor: expect.any(String) });
    expect(await ask({ ...range, cursor: one.nextCursor })).toEqual({ requested: 5, nextCursor: null });
    await webhooks(2 * count);
    await eventually('all to be delivered', async () => (await list('?status=EXHAUSTED')).items.length === 0);
    const perDelivery = new Map<unknown, number>();
    for (const { headers } of receiver.received) {
      perDelivery.set(headers['x-webhook-id'], (perDelivery.get(headers['x-webhook-id']) ?? 0) + 1);
    }
    expect([perDelivery.size, new Set(perDelivery.values())]).toEqual([count, new Set([2])]);
    const misused = await operator.send('POST', '/webhook-deliveries/redeliver', { ...range, cursor: one.nextCursor });
    expect(refusal(misused)).toEqual([400, 'CURSOR_INVALID', []]);
  });

  it.each([
    [{ to: '2026-01-01T00:00:00Z', status: 'EXHAUSTED' }, 'from: REQUIRED'],
    [{ from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z', status: 'EXHAUSTED' }, 'to: INVALID_FORMAT'],
    [{ from: 'yesterday', to: '2026-01-01T00:00:00Z', status: 'EXHAUSTED' }, 'from: INVALID_FORMAT'],
    [{ from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z', status: 'GONE' }, 'status: INVALID_FORMAT'],
    [{ from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }, 'status: REQUIRED'],
  ])('are not made again for %j', async (body, problem) => {
    const answer = await operator.send('POST', '/webhook-deliveries/redeliver', body);
    expect(refusal(answer)).toEqual([400, 'VALIDATION_FAILED', [problem]]);
  });
});
