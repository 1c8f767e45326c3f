import { randomUUID } from 'node:crypto';
import { actsFor } from '../support/books';
import { eventsOf } from '../support/event-log';
import { registerMerchant, useLedger } from '../support/ledger';
import { type Answer, MerchantClient, paymentRequest } from '../support/merchant-client';
import { bodyOf, CARDS, createCompleted, type CreatedPayment, refundRequest, untilStatus } from '../support/payments';
import { Service } from '../support/service';

const ledger = useLedger();

/** Whether the second answer is the first one again, to the byte, but for being marked as a replay. */
function expectReplay(first: Answer, second: Answer): void {
  expect(second.text).toBe(first.text);
  expect(second.status).toBe(first.status);
  for (const name of ['content-type', 'location', 'x-transaction-id']) {
    expect(second.headers.get(name)).toBe(first.headers.get(name));
  }
  expect(first.headers.get('idempotent-replayed')).toBeNull();
  expect(second.headers.get('idempotent-replayed')).toBe('true');
}

function expectReused(answer: Answer): void {
  expect(answer.status).toBe(422);
  expect(answer.body['error']).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
}

/** The JSON of the same value with the keys of every object the other way round, and blanks between. */
function reordered(value: unknown): string {
  const turn = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(turn);
    if (typeof part !== 'object' || part === null) return part;
    const entries: (readonly [string, unknown])[] = Object.entries(part).map(([key, member]) => [key, turn(member)]);
    return Object.fromEntries(entries.reverse());
  };
  return JSON.stringify(turn(value), null, 2);
}

const streamOf = (paymentId: string) => `payment-${paymentId.slice('pay_'.length)}`;

function countOf(answers: readonly Answer[], header: string): number {
  return answers.filter(({ headers }) => headers.get(header) !== null).length;
}

describe('a create with the key of an earlier one', () => {
  const request = () => paymentRequest({ extra: { merchantMetadata: { b: '2', a: '1' }, captureMethod: 'AUTOMATIC' } });

  it('is answered with the first answer again', async () => {
    const key = randomUUID();
    const first = await ledger.client.createPayment(request(), { key });
    const { paymentId } = bodyOf<CreatedPayment>(first, 201);
    const second = await ledger.client.createPayment(request(), { key, headers: { 'X-Request-ID': 'second' } });
    expectReplay(first, second);
    expect(second.headers.get('x-request-id')).toBe('second');
    await untilStatus(ledger.client, paymentId, 'COMPLETED');
    expectReplay(first, await ledger.client.createPayment(request(), { key }));
    expect(actsFor(ledger.service.dataDir, paymentId)).toMatchObject({ authorizations: 1, captures: 1 });
  });

  it('shows the same pages for the customer, also once they were used', async () => {
    const key = randomUUID();
    const body = paymentRequest({ card: CARDS.challenge });
    const first = await ledger.client.createPayment(body, { key });
    expectReplay(first, await ledger.client.createPayment(body, { key }));
  });

  it('may come with another cvv, with its keys in another order, and with other blanks', async () => {
    const key = randomUUID();
    const first = await ledger.client.createPayment(request(), { key });
    const otherCvv = JSON.parse(JSON.stringify(request()).replace('"cvv":"123"', '"cvv":"4567"')) as unknown;
    expect(otherCvv).not.toEqual(request());
    expectReplay(first, await ledger.client.createPayment(otherCvv, { key }));
    expectReplay(first, await ledger.client.createPayment(null, { key, raw: reordered(request()) }));
  });

  it.each<readonly [string, Record<string, unknown>]>([
    ['amount', paymentRequest({ value: '129.91' })],
    ['currency', paymentRequest({ currency: 'USD' })],
    ['card', paymentRequest({ card: '4242424242424242' })],
    ['order', paymentRequest({ extra: { order: { orderId: 'order-2' } } })],
    ['addition', paymentRequest({ notifyUrl: 'https://shop.example/hook' })],
    ['spelling of the amount', paymentRequest({ value: '129.9' })],
  ])('is refused with another %s', async (_name, other) => {
    const key = randomUUID();
    const first = await ledger.client.createPayment(paymentRequest(), { key });
    const { paymentId } = bodyOf<CreatedPayment>(first, 201);
    expectReused(await ledger.client.createPayment(other, { key }));
    const done = await untilStatus(ledger.client, paymentId, 'COMPLETED');
    expect(done.amount).toEqual({ value: '129.90', currency: 'EUR' });
    expectReplay(first, await ledger.client.createPayment(paymentRequest(), { key }));
    const events = await eventsOf(ledger.service.dataDir, streamOf(paymentId));
    const created = events.filter(({ type }) => type === 'PaymentCreated');
    expect(created).toHaveLength(1);
  });

  it('makes one payment of 50 that come at once', async () => {
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => ledger.client.createPayment(request(), { key })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(countOf(answers, 'idempotent-replayed')).toBe(49);
    const { paymentId } = bodyOf<CreatedPayment>(answers[0]!, 201);
    await untilStatus(ledger.client, paymentId, 'COMPLETED');
    expect(actsFor(ledger.service.dataDir, paymentId)).toMatchObject({ authorizations: 1, captures: 1 });
  });

  it('lets one of two bodies win that come at once', async () => {
    const key = randomUUID();
    const bodies = [request(), paymentRequest({ value: '1.00' })];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => ledger.client.createPayment(bodies[index % 2], { key })),
    );
    const created = answers.filter(({ status }) => status === 201);
    expect(new Set(created.map(({ text }) => text)).size).toBe(1);
    expect(created).toHaveLength(10);
    expect(countOf(created, 'idempotent-replayed')).toBe(9);
    for (const answer of answers.filter(({ status }) => status !== 201)) expectReused(answer);
  });

  it("is another payment when it is another merchant's", async () => {
    const key = randomUUID();
    const other = await registerMerchant(ledger.service, 'Other Shop');
    const mine = await ledger.client.createPayment(request(), { key });
    const theirs = await other.createPayment(request(), { key });
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.body['paymentId']).not.toBe(mine.body['paymentId']);
    expect(theirs.headers.get('idempotent-replayed')).toBeNull();
  });
});

describe('a refund with the key of an earlier one', () => {
  const full = refundRequest('10.00', { reason: 'damaged', referenceId: 'rma-1' });

  it('is answered with the first answer again, and refused with other content', async () => {
    const { paymentId } = await createCompleted(ledger.client);
    const key = randomUUID();
    const first = await ledger.client.refund(paymentId, full, { key });
    expect(first.status).toBe(202);
    expectReplay(first, await ledger.client.refund(paymentId, full, { key }));
    expectReplay(first, await ledger.client.refund(paymentId, null, { key, raw: reordered(full) }));
    expectReused(await ledger.client.refund(paymentId, { ...full, reason: 'lost' }, { key }));
    expectReused(await ledger.client.refund(paymentId, refundRequest('10.01'), { key }));
  });

  it('is one refund when 20 come at once', async () => {
    const { paymentId } = await createCompleted(ledger.client);
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => ledger.client.refund(paymentId, refundRequest('100.00'), { key })),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(202);
    expect(countOf(answers, 'idempotent-replayed')).toBe(19);
  });

  it('is another refund on another payment, and the key of a create is none of a refund', async () => {
    const key = randomUUID();
    const first = bodyOf<CreatedPayment>(await ledger.client.createPayment(paymentRequest(), { key }), 201);
    await untilStatus(ledger.client, first.paymentId, 'COMPLETED');
    const second = await createCompleted(ledger.client);
    const answers = [
      await ledger.client.refund(first.paymentId, full, { key }),
      await ledger.client.refund(second.paymentId, full, { key }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    expect(countOf(answers, 'idempotent-replayed')).toBe(0);
    expect(answers[0]?.body['refundId']).not.toBe(answers[1]?.body['refundId']);
  });
});

describe('after a restart', () => {
  it('the first answers are given again, however the service ended', async () => {
    const requests = [
      paymentRequest(),
      paymentRequest({ card: CARDS.challenge }),
      paymentRequest({ card: CARDS.declined }),
    ];
    const created = await Promise.all(
      requests.map(async (body) => {
        const key = randomUUID();
        return { body, key, first: await ledger.client.createPayment(body, { key }) };
      }),
    );
    const { paymentId } = await createCompleted(ledger.client);
    const refundKey = randomUUID();
    const refunded = await ledger.client.refund(paymentId, full(), { key: refundKey });

    for (const end of ['stop', 'kill'] as const) {
      await ledger.service[end]();
      // On another port: what was answered before has to come again all the same.
      ledger.service = await Service.start({ dataDir: ledger.service.dataDir });
      ledger.client = new MerchantClient(ledger.service.url, ledger.client.credentials);
      for (const { body, key, first } of created) {
        expectReplay(first, await ledger.client.createPayment(body, { key }));
        expectReused(await ledger.client.createPayment({ ...body, captureMethod: 'MANUAL' }, { key }));
      }
      expectReplay(refunded, await ledger.client.refund(paymentId, full(), { key: refundKey }));
    }
    // Each of two ends and two starts has a limit of its own; a test that was cut off between them leaves a service behind.
  });

  function full() {
    return refundRequest('129.90');
  }
});
