import { booksOf } from '../support/books';
import { useLedger } from '../support/ledger';
import type { Answer, MerchantClient } from '../support/merchant-client';
import { listOf } from '../support/payment-actions';
import {
  bodyOf,
  CARDS,
  create,
  createCompleted,
  CROCKFORD,
  read,
  refund,
  type RefundBody,
  refundRequest,
  TIME,
  untilRefundStatus,
  untilStatus,
} from '../support/payments';

const ledger = useLedger();

const slow: RefundBody[] = [];

function codeOf(answer: Answer): string {
  return `${answer.status} ${(answer.body as { error?: { code?: string } }).error?.code ?? ''}`;
}

function countCodes(answers: readonly Answer[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[codeOf(answer)] = (counts[codeOf(answer)] ?? 0) + 1;
  return counts;
}

/** Begun first and looked at last, so that nothing has to be waited for. */
describe('refunds that take their time', () => {
  it('reserve their amount while they are pending', async () => {
    const pending = await createCompleted(ledger.client, { card: CARDS.refundPending });
    const lost = await createCompleted(ledger.client, { card: CARDS.refundAnswerLost });
    slow.push(await refund(ledger.client, pending.paymentId, '100.00'));
    slow.push(await refund(ledger.client, lost.paymentId, '100.00'));
    const over = await ledger.client.refund(pending.paymentId, refundRequest('29.91'));
    expect(codeOf(over)).toBe('422 REFUND_AMOUNT_EXCEEDED');
    expect(bodyOf<RefundBody>(await ledger.client.readRefund(slow[0]!.refundId), 200).status).toBe('PENDING');
    expect((await read(ledger.client, pending.paymentId)).refundedAmount.value).toBe('0.00');
  });
});

describe('refunds', () => {
  it('are accepted with the headers and the body of the interface', async () => {
    const { paymentId } = await createCompleted(ledger.client);
    const body = refundRequest('5', { reason: 'damaged', referenceId: 'rma-1' });
    const answer = await ledger.client.refund(paymentId, body, { headers: { 'X-Request-ID': 'refunding' } });
    const accepted = bodyOf<RefundBody>(answer, 202);
    expect(accepted).toEqual({
      refundId: expect.stringMatching(new RegExp(`^ref_${paymentId.slice('pay_'.length)}${CROCKFORD}{16}$`)),
      paymentId,
      status: 'PENDING',
      amount: { value: '5.00', currency: 'EUR' },
      reason: 'damaged',
      referenceId: 'rma-1',
      estimatedCompletion: expect.stringMatching(TIME),
      timeline: { createdAt: expect.stringMatching(TIME) },
    });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(answer.headers.get('x-request-id')).toBe('refunding');
    expect(answer.headers.get('location')).toBe(`/api/v2/refunds/${accepted.refundId}`);
    const done = await untilRefundStatus(ledger.client, accepted.refundId, 'COMPLETED');
    const { createdAt } = accepted.timeline;
    const timeline = { createdAt, completedAt: expect.stringMatching(TIME) };
    expect(done).toEqual({ ...accepted, status: 'COMPLETED', timeline });
    expect(done.timeline.completedAt! >= createdAt).toBe(true);
    expect(await listOf(ledger.client, paymentId, 'refunds')).toEqual([done]);

    const bare = await refund(ledger.client, paymentId, '5.00');
    expect(Object.keys(bare).sort()).toEqual([
      'amount',
      'estimatedCompletion',
      'paymentId',
      'refundId',
      'status',
      'timeline',
    ]);
  });

  it('may be partial, until nothing is left', async () => {
    const { paymentId } = await createCompleted(ledger.client);
    const first = await refund(ledger.client, paymentId, '100.00');
    const tooMuch = await ledger.client.refund(paymentId, refundRequest('29.91'));
    expect(codeOf(tooMuch)).toBe('422 REFUND_AMOUNT_EXCEEDED');
    expect(tooMuch.text).toContain('At most 29.90 EUR is left to refund of this payment.');
    const second = await refund(ledger.client, paymentId, '29.90');
    expect(codeOf(await ledger.client.refund(paymentId, refundRequest('0.01')))).toBe('422 REFUND_AMOUNT_EXCEEDED');
    for (const { refundId } of [first, second]) await untilRefundStatus(ledger.client, refundId, 'COMPLETED');
    const body = await read(ledger.client, paymentId);
    expect(body.status).toBe('COMPLETED');
    expect(body.refundedAmount).toEqual({ value: '129.90', currency: 'EUR' });
    expect(body.transactions.slice(2).map(({ type, amount, status }) => [type, amount, status])).toEqual([
      ['REFUND', '100.00', 'SUCCESS'],
      ['REFUND', '29.90', 'SUCCESS'],
    ]);
    expect(new Set(body.transactions.map(({ transactionId }) => transactionId)).size).toBe(4);
  });

  it('are refused in another currency, for what is not completed, and with wrong fields', async () => {
    const { paymentId } = await createCompleted(ledger.client);
    const dollars = { amount: { value: '1.00', currency: 'USD' } };
    expect(codeOf(await ledger.client.refund(paymentId, dollars))).toBe('422 CURRENCY_MISMATCH');

    const manual = await create(ledger.client, { extra: { captureMethod: 'MANUAL' } });
    await untilStatus(ledger.client, manual.paymentId, 'AUTHORIZED');
    const failed = await create(ledger.client, { card: CARDS.declined });
    await untilStatus(ledger.client, failed.paymentId, 'FAILED');
    const waiting = await create(ledger.client, { card: CARDS.challenge });
    for (const payment of [manual, failed, waiting]) {
      expect(codeOf(await ledger.client.refund(payment.paymentId, refundRequest('1.00')))).toBe('409 INVALID_STATE');
    }
    const details = async (body: unknown) => {
      const answer = await ledger.client.refund(paymentId, body);
      expect(answer.status).toBe(400);
      const { error } = answer.body as { error: { details: { field: string; code: string }[] } };
      return error.details.map(({ field, code }) => `${field} ${code}`);
    };
    expect(await details({})).toEqual(['amount REQUIRED']);
    expect(await details(refundRequest('0'))).toEqual(['amount.value INVALID_AMOUNT']);
    expect(await details(refundRequest('1.001'))).toEqual(['amount.value INVALID_AMOUNT']);
    expect(await details(refundRequest('1', { reason: 'x'.repeat(1001) }))).toEqual(['reason TOO_LONG']);
    expect(await details(refundRequest('1', { referenceId: '' }))).toEqual(['referenceId INVALID_FORMAT']);
    expect(await details(refundRequest('1', { note: '' }))).toEqual(['note UNKNOWN_FIELD']);
    expect(await details(refundRequest('1', { notifyUrl: 'https://10.0.0.1/' }))).toEqual([
      'notifyUrl URL_NOT_ALLOWED',
    ]);
    const pan = refundRequest('1', { reason: 'to 4111 1111 1111 1111' });
    expect(await details(pan)).toEqual(['reason CARD_DATA_NOT_ALLOWED']);
  });

  it('give their amount back when they fail', async () => {
    const { paymentId } = await createCompleted(ledger.client, { card: CARDS.refundDeclined });
    const first = await refund(ledger.client, paymentId, '129.90');
    const failed = await untilRefundStatus(ledger.client, first.refundId, 'FAILED');
    expect(failed.error).toEqual({ code: 'CARD_DECLINED', message: expect.any(String) });
    expect(failed.timeline).toEqual({ createdAt: first.timeline.createdAt, failedAt: expect.stringMatching(TIME) });
    const second = await refund(ledger.client, paymentId, '129.90');
    await untilRefundStatus(ledger.client, second.refundId, 'FAILED');
    const body = await read(ledger.client, paymentId);
    expect([body.status, body.refundedAmount.value]).toEqual(['COMPLETED', '0.00']);
    expect(body.transactions.slice(2).map(({ type, status }) => `${type} ${status}`)).toEqual([
      'REFUND FAILED',
      'REFUND FAILED',
    ]);
  });
});

describe('many refunds at once', () => {
  async function refundAll(client: MerchantClient, count: number, value: string) {
    const { paymentId } = await createCompleted(client, { value: '100.00' });
    const answers = await Promise.all(
      Array.from({ length: count }, () => client.refund(paymentId, refundRequest(value))),
    );
    const accepted = answers.filter(({ status }) => status === 202).map(({ body }) => String(body['refundId']));
    for (const refundId of accepted) await untilRefundStatus(client, refundId, 'COMPLETED');
    const { refunds } = booksOf(ledger.service.dataDir, [paymentId]).get(paymentId)!;
    return { counts: countCodes(answers), ids: new Set(accepted).size, refunds, body: await read(client, paymentId) };
  }

  it('never exceed what was captured: of 50 of 30 % three are accepted', async () => {
    const { counts, refunds, body } = await refundAll(ledger.client, 50, '30.00');
    expect(counts).toEqual({ '202 ': 3, '422 REFUND_AMOUNT_EXCEEDED': 47 });
    expect(refunds).toEqual({ count: 3, amountMinor: 9_000n });
    expect(body.refundedAmount.value).toBe('90.00');
  });

  it('all succeed when there is enough: 50 of 2 %', async () => {
    const { counts, ids, refunds, body } = await refundAll(ledger.client, 50, '2.00');
    expect(counts).toEqual({ '202 ': 50 });
    expect(ids).toBe(50);
    expect(refunds).toEqual({ count: 50, amountMinor: 10_000n });
    expect(body.refundedAmount.value).toBe('100.00');
    expect(body.transactions).toHaveLength(52);
  });
});

it('completes slow refunds and those whose answer was lost, each once', async () => {
  expect(slow).toHaveLength(2);
  for (const { refundId } of slow) await untilRefundStatus(ledger.client, refundId, 'COMPLETED', 45_000);
  const paymentIds = slow.map(({ paymentId }) => paymentId);
  const books = booksOf(ledger.service.dataDir, paymentIds);
  for (const paymentId of paymentIds) {
    expect(books.get(paymentId)?.refunds).toEqual({ count: 1, amountMinor: 10_000n });
    expect((await read(ledger.client, paymentId)).refundedAmount.value).toBe('100.00');
  }
});
