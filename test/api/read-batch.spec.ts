import { registerMerchant, useLedger } from '../support/ledger';
import { type Answer, paymentRequest } from '../support/merchant-client';
import {
  bodyOf,
  CARDS,
  create,
  createCompleted,
  type CreatedPayment,
  refund,
  refundRequest,
  untilStatus,
} from '../support/payments';

const ledger = useLedger();

/** Well-formed, and of nobody. */
const MISSING = `pay_${'0'.repeat(26)}`;

function codeOf(answer: Answer): string {
  return `${answer.status} ${(answer.body as { error?: { code?: string } }).error?.code ?? ''}`;
}

describe('reading', () => {
  it('finds a payment and a refund at once after they were answered', async () => {
    const statuses: number[] = [];
    const createAndRead = async () => {
      for (let round = 0; round < 10; round += 1) {
        const { paymentId } = await create(ledger.client);
        statuses.push((await ledger.client.payment(paymentId)).status);
        const { results } = bodyOf<{ results: { status: string }[] }>(await ledger.client.batchQuery([paymentId]), 200);
        statuses.push(results[0]?.status === 'NOT_FOUND' ? 404 : 200);
      }
    };
    await Promise.all(Array.from({ length: 10 }, createAndRead));
    const { paymentId } = await createCompleted(ledger.client);
    const refundAndRead = async () => {
      const { refundId } = await refund(ledger.client, paymentId, '1.00');
      statuses.push((await ledger.client.readRefund(refundId)).status);
    };
    await Promise.all(Array.from({ length: 20 }, refundAndRead));
    expect(statuses).toHaveLength(220);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it("tells another merchant's payment or refund from a missing one by nothing", async () => {
    const other = await registerMerchant(ledger.service, 'Other Shop');
    const { paymentId } = await createCompleted(ledger.client);
    const { refundId } = await refund(ledger.client, paymentId, '1.00');
    const missingRefund = refundId.slice(0, -16) + '0'.repeat(16);
    const same = { key: 'the-same-key', headers: { 'X-Request-ID': 'the-same-request' } };
    const asks: readonly ((payment: string, refund: string) => Promise<Answer>)[] = [
      (payment) => other.payment(payment, same),
      (_payment, id) => other.readRefund(id, same),
      (payment) => other.refund(payment, refundRequest('1.00'), same),
      (payment) => other.refund(payment, refundRequest('1,00'), same),
    ];
    for (const ask of asks) {
      const foreign = await ask(paymentId, refundId);
      const missing = await ask(MISSING, missingRefund);
      expect(foreign.status).toBe(missing.status);
      expect(foreign.text).toBe(missing.text);
      expect(comparable(foreign)).toEqual(comparable(missing));
    }
    expect(codeOf(await other.payment(paymentId))).toBe('404 PAYMENT_NOT_FOUND');
    expect(codeOf(await other.readRefund(refundId))).toBe('404 REFUND_NOT_FOUND');
    const batch = bodyOf<{ results: unknown[] }>(await other.batchQuery([paymentId, MISSING]), 200);
    expect(batch.results).toEqual([
      { paymentId, status: 'NOT_FOUND' },
      { paymentId: MISSING, status: 'NOT_FOUND' },
    ]);
    expect((await ledger.client.payment(paymentId)).status).toBe(200);
  });

  it.each(['x', 'pay_x', `pay_${'0'.repeat(25)}U`, `PAY_${'0'.repeat(26)}`, `pay_${'a'.repeat(26)}`])(
    'does not find what is no identifier: %s',
    async (paymentId) => {
      expect(codeOf(await ledger.client.payment(paymentId))).toBe('404 PAYMENT_NOT_FOUND');
      expect(codeOf(await ledger.client.refund(paymentId, refundRequest('1.00')))).toBe('404 PAYMENT_NOT_FOUND');
      expect(codeOf(await ledger.client.readRefund(paymentId))).toBe('404 REFUND_NOT_FOUND');
    },
  );
});

/** The headers that could tell two answers apart. */
function comparable({ headers }: Answer): Readonly<Record<string, string>> {
  const { date: _date, ...others } = Object.fromEntries(headers);
  return others;
}

describe('the batch query', () => {
  let ids: Record<'completed' | 'failed' | 'authorized' | 'waiting', string>;
  beforeAll(async () => {
    const payments: CreatedPayment[] = await Promise.all([
      create(ledger.client, { value: '1' }),
      create(ledger.client, { card: CARDS.insufficientFunds }),
      create(ledger.client, { extra: { captureMethod: 'MANUAL' } }),
      create(ledger.client, { card: CARDS.challenge }),
    ]);
    const [completed, failed, authorized, waiting] = payments.map(({ paymentId }) => paymentId) as [
      string,
      string,
      string,
      string,
    ];
    await untilStatus(ledger.client, completed, 'COMPLETED');
    await untilStatus(ledger.client, failed, 'FAILED');
    await untilStatus(ledger.client, authorized, 'AUTHORIZED');
    ids = { completed, failed, authorized, waiting };
  });

  it('answers each identifier in its place, repeated ones too, and counts them', async () => {
    const { completed, failed, authorized, waiting } = ids;
    const asked = [failed, MISSING, completed, 'nonsense', waiting, authorized, completed, ''];
    const answer = await ledger.client.batchQuery(asked, { headers: { 'X-Request-ID': 'batch' } });
    const done = { paymentId: completed, status: 'COMPLETED', amount: { value: '1.00', currency: 'EUR' } };
    expect(bodyOf(answer, 200)).toEqual({
      results: [
        { paymentId: failed, status: 'FAILED', error: { code: 'INSUFFICIENT_FUNDS', message: expect.any(String) } },
        { paymentId: MISSING, status: 'NOT_FOUND' },
        done,
        { paymentId: 'nonsense', status: 'NOT_FOUND' },
        { paymentId: waiting, status: 'PROCESSING' },
        { paymentId: authorized, status: 'AUTHORIZED' },
        done,
        { paymentId: '', status: 'NOT_FOUND' },
      ],
      summary: { total: 8, succeeded: 2, failed: 1, notFound: 3, other: 2 },
    });
    expect(answer.headers.get('x-request-id')).toBe('batch');
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
  });

  it('takes 1 to 100 identifiers', async () => {
    expect(codeOf(await ledger.client.batchQuery([]))).toBe('400 BATCH_SIZE_INVALID');
    const many = Array.from({ length: 101 }, () => ids.completed);
    expect(codeOf(await ledger.client.batchQuery(many))).toBe('400 BATCH_SIZE_INVALID');
    const { summary } = bodyOf<{ summary: unknown }>(await ledger.client.batchQuery(many.slice(1)), 200);
    expect(summary).toEqual({ total: 100, succeeded: 100, failed: 0, notFound: 0, other: 0 });
  });

  it.each([
    ['no list', 'pay_x', 'paymentIds INVALID_FORMAT'],
    ['nothing', undefined, 'paymentIds REQUIRED'],
    ['a number in the list', [1], 'paymentIds[0] INVALID_FORMAT'],
  ])('refuses %s', async (_name, value, problem) => {
    const answer = await ledger.client.batchQuery(value);
    const { error } = bodyOf<{ error: { code: string; details: { field: string; code: string }[] } }>(answer, 400);
    expect(error.code).toBe('VALIDATION_FAILED');
    expect(error.details.map(({ field, code }) => `${field} ${code}`)).toEqual([problem]);
  });
});

it('answers a create as JSON whatever the client accepts', async () => {
  const answer = await ledger.client.createPayment(paymentRequest(), { headers: { Accept: 'text/html' } });
  expect([answer.status, answer.headers.get('content-type')?.split(';')[0]]).toEqual([201, 'application/json']);
});
