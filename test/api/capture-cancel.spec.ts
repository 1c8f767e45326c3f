import { randomUUID } from 'node:crypto';
import { actsFor, booksOf } from '../support/books';
import { eventsOf } from '../support/event-log';
import { registerMerchant, useLedger } from '../support/ledger';
import type { Answer } from '../support/merchant-client';
import { accepted, type Act, ask, authorized, euros } from '../support/payment-actions';
import {
  answerChallenge,
  bodyOf,
  CARDS,
  create,
  createCompleted,
  idPattern,
  read,
  type ReadPayment,
  refund,
  refundRequest,
  TIME,
  untilRefundStatus,
  untilStatus,
} from '../support/payments';
import { eventually } from '../support/service';

const ledger = useLedger();

const MISSING = `pay_${'0'.repeat(26)}`;
function codeOf(answer: Answer): string {
  return `${answer.status} ${(answer.body as { error?: { code?: string } }).error?.code ?? ''}`;
}

function problemsOf(answer: Answer): readonly string[] {
  const { error } = bodyOf<{ error: { details: { field: string; code: string }[] } }>(answer, 400);
  return error.details.map(({ field, code }) => `${field} ${code}`);
}

function acts(paymentId: string): readonly number[] {
  const { authorizations, captures, voids, refunds } = actsFor(ledger.service.dataDir, paymentId);
  return [authorizations, captures, voids, refunds];
}

function capturedMinor(paymentId: string): bigint {
  return booksOf(ledger.service.dataDir, [paymentId]).get(paymentId)!.captures.amountMinor;
}

const summary = ({ transactions }: ReadPayment) =>
  transactions.map(({ type, amount, status }) => `${type} ${amount} ${status}`);

describe('capturing', () => {
  it('takes all that was authorized, and is answered with the payment as of then', async () => {
    const before = await authorized(ledger.client);
    const answer = await ask(
      ledger.client,
      'capture',
      before.paymentId,
      {},
      { headers: { 'X-Request-ID': 'capturing' } },
    );
    const body = bodyOf<ReadPayment>(answer, 202);
    const capture = {
      transactionId: expect.stringMatching(idPattern('txn')),
      type: 'CAPTURE',
      amount: '129.90',
      status: 'PENDING',
    };
    expect(body).toEqual({ ...before, transactions: [...before.transactions, capture] });
    expect(answer.headers.get('x-request-id')).toBe('capturing');
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
    const after = await untilStatus(ledger.client, before.paymentId, 'COMPLETED');
    expect(after.capturedAmount).toEqual({ value: '129.90', currency: 'EUR' });
    expect(after.timeline).toEqual({
      ...before.timeline,
      capturedAt: expect.stringMatching(TIME),
      completedAt: expect.stringMatching(TIME),
    });
    expect(summary(after)).toEqual(['AUTHORIZATION 129.90 SUCCESS', 'CAPTURE 129.90 SUCCESS']);
    expect(acts(before.paymentId)).toEqual([1, 1, 0, 0]);
  });

  it('takes less when asked for less, and refunds end there', async () => {
    const { paymentId } = await authorized(ledger.client);
    await accepted(ledger.client, 'capture', paymentId, euros('29.9'));
    const after = await untilStatus(ledger.client, paymentId, 'COMPLETED');
    expect([after.amount.value, after.capturedAmount.value]).toEqual(['129.90', '29.90']);
    expect(summary(after)).toEqual(['AUTHORIZATION 129.90 SUCCESS', 'CAPTURE 29.90 SUCCESS']);
    expect(capturedMinor(paymentId)).toBe(2_990n);
    expect(codeOf(await ledger.client.refund(paymentId, refundRequest('29.91')))).toBe('422 REFUND_AMOUNT_EXCEEDED');
    const { refundId } = await refund(ledger.client, paymentId, '29.90');
    await untilRefundStatus(ledger.client, refundId, 'COMPLETED');
    expect(codeOf(await ledger.client.refund(paymentId, refundRequest('0.01')))).toBe('422 REFUND_AMOUNT_EXCEEDED');
    expect(acts(paymentId)).toEqual([1, 1, 0, 1]);
  });

  it('takes no more than was authorized, not in another currency, and once only', async () => {
    const { paymentId } = await authorized(ledger.client);
    expect(codeOf(await ask(ledger.client, 'capture', paymentId, euros('129.91')))).toBe('422 CAPTURE_AMOUNT_EXCEEDED');
    const dollars = { amount: { value: '1.00', currency: 'USD' } };
    expect(codeOf(await ask(ledger.client, 'capture', paymentId, dollars))).toBe('422 CURRENCY_MISMATCH');
    expect((await read(ledger.client, paymentId)).status).toBe('AUTHORIZED');
    await accepted(ledger.client, 'capture', paymentId, euros('129.90'));
    expect(codeOf(await ask(ledger.client, 'capture', paymentId, euros('129.90')))).toBe('409 INVALID_STATE');
    await untilStatus(ledger.client, paymentId, 'COMPLETED');
    expect(codeOf(await ask(ledger.client, 'capture', paymentId))).toBe('409 INVALID_STATE');
    expect(acts(paymentId)).toEqual([1, 1, 0, 0]);
  });

  it('fails the payment when it is refused, and the hold is released', async () => {
    const { paymentId } = await authorized(ledger.client, { card: CARDS.captureRefused });
    await accepted(ledger.client, 'capture', paymentId);
    const after = await untilStatus(ledger.client, paymentId, 'FAILED');
    expect(after.error?.code).toBe('CAPTURE_REFUSED');
    expect(summary(after)).toEqual(['AUTHORIZATION 129.90 SUCCESS', 'CAPTURE 129.90 FAILED', 'VOID 129.90 SUCCESS']);
    expect(acts(paymentId)).toEqual([1, 0, 1, 0]);
  });

  it('happens once though its answer is lost', async () => {
    const { paymentId } = await authorized(ledger.client, { card: CARDS.captureAnswerLost });
    await accepted(ledger.client, 'capture', paymentId, euros('100'));
    await untilStatus(ledger.client, paymentId, 'COMPLETED', 25_000);
    expect([acts(paymentId), capturedMinor(paymentId)]).toEqual([[1, 1, 0, 0], 10_000n]);
  });
});

describe('cancelling', () => {
  it('releases a hold', async () => {
    const before = await authorized(ledger.client);
    const body = await accepted(ledger.client, 'cancel', before.paymentId, { reason: 'out of stock' });
    expect(body).toEqual(before);
    const after = await untilStatus(ledger.client, before.paymentId, 'CANCELLED');
    expect(summary(after)).toEqual(['AUTHORIZATION 129.90 SUCCESS', 'VOID 129.90 SUCCESS']);
    expect(after.timeline).toEqual({ ...before.timeline, cancelledAt: expect.stringMatching(TIME) });
    expect(acts(before.paymentId)).toEqual([1, 0, 1, 0]);
  });

  it('ends a payment whose authorization is on its way: what was granted is released', async () => {
    // The answer to its authorization is lost, so that for some seconds nobody knows that it was granted.
    const { paymentId } = await create(ledger.client, { card: CARDS.authorizationAnswerLost });
    await eventually('the authorization to be granted', async () => acts(paymentId)[0] === 1);
    expect((await accepted(ledger.client, 'cancel', paymentId)).status).toBe('PROCESSING');
    const after = await untilStatus(ledger.client, paymentId, 'CANCELLED', 25_000);
    expect(summary(after)).toEqual(['AUTHORIZATION 129.90 SUCCESS', 'VOID 129.90 SUCCESS']);
    expect(acts(paymentId)).toEqual([1, 0, 1, 0]);
  });

  it('ends a payment that waits for its customer, whose approval then comes too late', async () => {
    const payment = await create(ledger.client, { card: CARDS.challenge });
    await accepted(ledger.client, 'cancel', payment.paymentId);
    const after = await untilStatus(ledger.client, payment.paymentId, 'CANCELLED');
    expect(summary(after)).toEqual(['AUTHORIZATION 129.90 FAILED']);
    const page = await answerChallenge(payment, 'approve');
    expect(await page.text()).not.toContain('Payment approved');
    expect(await read(ledger.client, payment.paymentId)).toEqual(after);
    expect(acts(payment.paymentId).slice(0, 2)).toEqual([0, 0]);
  });

  it('is too late once the capture was asked for, or the payment has ended', async () => {
    const { paymentId } = await authorized(ledger.client);
    await accepted(ledger.client, 'capture', paymentId);
    expect(codeOf(await ask(ledger.client, 'cancel', paymentId))).toBe('409 INVALID_STATE');
    await untilStatus(ledger.client, paymentId, 'COMPLETED');
    const failed = await create(ledger.client, { card: CARDS.declined });
    await untilStatus(ledger.client, failed.paymentId, 'FAILED');
    const cancelled = await authorized(ledger.client);
    await accepted(ledger.client, 'cancel', cancelled.paymentId);
    for (const id of [paymentId, failed.paymentId, cancelled.paymentId]) {
      expect(codeOf(await ask(ledger.client, 'cancel', id))).toBe('409 INVALID_STATE');
      expect(codeOf(await ask(ledger.client, 'capture', id))).toBe('409 INVALID_STATE');
    }
    await untilStatus(ledger.client, cancelled.paymentId, 'CANCELLED');
    expect(codeOf(await ledger.client.refund(cancelled.paymentId, refundRequest('1')))).toBe('409 INVALID_STATE');
  });
});

describe('capturing and cancelling', () => {
  it('at once, many times over, is decided one way, and the books say the same', async () => {
    const payments = await Promise.all(Array.from({ length: 12 }, () => authorized(ledger.client)));
    const ends = await Promise.all(
      payments.map(async ({ paymentId }, index) => {
        const order: readonly Act[] = index % 2 === 0 ? ['capture', 'cancel'] : ['cancel', 'capture'];
        const answers = await Promise.all([...order, ...order].map((act) => ask(ledger.client, act, paymentId)));
        expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409]);
        const end =
          [...order, ...order][answers.findIndex(({ status }) => status === 202)] === 'capture'
            ? 'COMPLETED'
            : 'CANCELLED';
        await untilStatus(ledger.client, paymentId, end);
        return { paymentId, end };
      }),
    );
    for (const { paymentId, end } of ends) {
      expect(acts(paymentId)).toEqual(end === 'COMPLETED' ? [1, 1, 0, 0] : [1, 0, 1, 0]);
    }
  });

  it('is not possible before the authorization, nor where the capture follows by itself', async () => {
    const waiting = await create(ledger.client, { card: CARDS.challenge, extra: { captureMethod: 'MANUAL' } });
    expect(codeOf(await ask(ledger.client, 'capture', waiting.paymentId))).toBe('409 INVALID_STATE');
    const { paymentId } = await createCompleted(ledger.client);
    for (const act of ['capture', 'cancel'] as const) {
      expect(codeOf(await ask(ledger.client, act, paymentId))).toBe('409 INVALID_STATE');
    }
  });

  it('is judged field by field, and needs a key', async () => {
    const { paymentId } = await authorized(ledger.client);
    expect(problemsOf(await ask(ledger.client, 'capture', paymentId, euros('0')))).toEqual([
      'amount.value INVALID_AMOUNT',
    ]);
    expect(problemsOf(await ask(ledger.client, 'capture', paymentId, euros('1.001')))).toEqual([
      'amount.value INVALID_AMOUNT',
    ]);
    expect(problemsOf(await ask(ledger.client, 'capture', paymentId, { amount: '1.00' }))).toEqual([
      'amount INVALID_FORMAT',
    ]);
    expect(problemsOf(await ask(ledger.client, 'capture', paymentId, { amount: {} }))).toEqual([
      'amount.currency REQUIRED',
      'amount.value REQUIRED',
    ]);
    expect(problemsOf(await ask(ledger.client, 'capture', paymentId, { reason: 'x' }))).toEqual([
      'reason UNKNOWN_FIELD',
    ]);
    expect(problemsOf(await ask(ledger.client, 'cancel', paymentId, { reason: 'x'.repeat(1001) }))).toEqual([
      'reason TOO_LONG',
    ]);
    expect(problemsOf(await ask(ledger.client, 'cancel', paymentId, { reason: null }))).toEqual([
      'reason INVALID_FORMAT',
    ]);
    expect(problemsOf(await ask(ledger.client, 'cancel', paymentId, { reason: '4111111111111111' }))).toEqual([
      'reason CARD_DATA_NOT_ALLOWED',
    ]);
    for (const act of ['capture', 'cancel'] as const) {
      expect(codeOf(await ask(ledger.client, act, paymentId, undefined, { raw: 'null' }))).toBe('400 MALFORMED_JSON');
      expect(codeOf(await ask(ledger.client, act, paymentId, {}, { headers: { 'Idempotency-Key': null } }))).toBe(
        '400 IDEMPOTENCY_KEY_MISSING',
      );
    }
    expect((await read(ledger.client, paymentId)).status).toBe('AUTHORIZED');
    const { length } = await eventsOf(ledger.service.dataDir, `payment-${paymentId.slice('pay_'.length)}`);
    expect(length).toBe(2);
    await accepted(ledger.client, 'cancel', paymentId, { reason: 'x'.repeat(1000) });
    await untilStatus(ledger.client, paymentId, 'CANCELLED');
  });

  it('needs no body where nothing is to be said, and `{}` says the same', async () => {
    for (const [act, end] of [
      ['capture', 'COMPLETED'],
      ['cancel', 'CANCELLED'],
    ] as const) {
      const { paymentId } = await authorized(ledger.client);
      const key = randomUUID();
      const path = `/api/v2/payments/${paymentId}/${act}`;
      const first = await ledger.client.send('POST', path, undefined, { key }, true);
      expect(first.status).toBe(202);
      for (const body of [undefined, {}]) {
        const again = await ledger.client.send('POST', path, body, { key }, false);
        expect([again.status, again.text]).toEqual([202, first.text]);
      }
      await untilStatus(ledger.client, paymentId, end);
    }
  });

  it("tells another merchant's payment from a missing one by nothing", async () => {
    const other = await registerMerchant(ledger.service, 'Other Shop');
    const { paymentId } = await authorized(ledger.client);
    const options = { key: 'same', headers: { 'X-Request-ID': 'same' } };
    const paths = (id: string) =>
      [
        ['POST', `/api/v2/payments/${id}/capture`, {}],
        ['POST', `/api/v2/payments/${id}/cancel`, {}],
        ['GET', `/api/v2/payments/${id}/refunds`, undefined],
        ['GET', `/api/v2/payments/${id}/events`, undefined],
      ] as const;
    for (const [index, [method, path, body]] of paths(paymentId).entries()) {
      const foreign = await other.send(method, path, body, options, false);
      const missing = await other.send(method, paths(MISSING)[index]![1], body, options, false);
      expect(codeOf(foreign)).toBe('404 PAYMENT_NOT_FOUND');
      expect(foreign.text).toBe(missing.text);
      expect((await other.send(method, paths('x')[index]![1], body, options, false)).text).toBe(missing.text);
    }
    expect((await read(ledger.client, paymentId)).status).toBe('AUTHORIZED');
    await accepted(ledger.client, 'cancel', paymentId);
    await untilStatus(ledger.client, paymentId, 'CANCELLED');
  });
});

describe.each([
  ['capture', 'COMPLETED', euros('50.00'), euros('50.01')],
  ['cancel', 'CANCELLED', { reason: 'one' }, { reason: 'other' }],
] as const)('the key of a %s', (act, end, body, otherBody) => {
  it('gives the first answer, byte by byte, whatever has become of the payment since', async () => {
    const { paymentId } = await authorized(ledger.client);
    const key = randomUUID();
    const first = await ask(ledger.client, act, paymentId, body, { key });
    await untilStatus(ledger.client, paymentId, end);
    if (act === 'capture') await refund(ledger.client, paymentId, '10.00');
    const again = await ask(ledger.client, act, paymentId, body, { key });
    expect([first.status, again.status, again.text]).toEqual([202, 202, first.text]);
    expect([first, again].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
    expect(codeOf(await ask(ledger.client, act, paymentId, otherBody, { key }))).toBe('422 IDEMPOTENCY_KEY_REUSED');
    expect(codeOf(await ask(ledger.client, act, paymentId, body))).toBe('409 INVALID_STATE');
  });

  it('gives one answer to many requests at once', async () => {
    const { paymentId } = await authorized(ledger.client);
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => ask(ledger.client, act, paymentId, body, { key })),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    await untilStatus(ledger.client, paymentId, end);
    expect(acts(paymentId)).toEqual(act === 'capture' ? [1, 1, 0, 0] : [1, 0, 1, 0]);
  });

  it('is another one for another payment', async () => {
    const key = randomUUID();
    const payments = await Promise.all([authorized(ledger.client), authorized(ledger.client)]);
    for (const { paymentId } of payments) {
      const answer = await ask(ledger.client, act, paymentId, body, { key });
      expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([202, null]);
      await untilStatus(ledger.client, paymentId, end);
    }
  });
});
