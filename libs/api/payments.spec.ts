import { CreatePaymentCommand, CreateRefundCommand } from '@app/payments/commands/commands';
import { done, refused } from '@app/platform/outcome';
import { GetPaymentQuery, GetPaymentsQuery, GetRefundQuery } from '@app/payments/read-models/queries';
import {
  CREATED,
  type HttpFixture,
  OTHER_PAYMENT_ID,
  PAYMENT_ID,
  paymentBody,
  REFUND,
  REFUND_ID,
  startHttp,
} from './testing/http-fixture';
import { batchRequest, createRequest, getRequest, PAYMENT, refundRequest } from './testing/requests';

describe('payments over HTTP', () => {
  let http: HttpFixture;
  beforeAll(async () => {
    http = await startHttp();
  });
  beforeEach(() => {
    http.behaviour.asked.length = 0;
  });
  afterAll(() => http.app.close());

  it('creates a payment', async () => {
    http.behaviour.createPayment = () => done(CREATED, false);
    const answer = await http.app.inject(createRequest());
    expect(answer.statusCode).toBe(201);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': 'req-1',
      'x-transaction-id': 'txn_A',
      'x-processing-time': '0',
      location: `/api/v2/payments/${PAYMENT_ID}`,
    });
    expect(answer.headers).not.toHaveProperty('idempotent-replayed');
    expect(answer.json()).toEqual({
      paymentId: PAYMENT_ID,
      transactionId: 'txn_A',
      status: 'PROCESSING',
      amount: { value: '12.50', currency: 'EUR' },
      merchant: { merchantId: 'mer_demo', orderId: 'order-1' },
      payer: { payerId: 'payer-1', maskedCardNumber: '411111******1111' },
      timeline: { createdAt: '2030-01-01T00:00:00.000Z', expiresAt: '2030-01-01T00:30:00.000Z' },
      metadata: { gatewayReference: 'gw_1', riskScore: 12, riskLevel: 'LOW' },
    });
    const caller = { merchantId: 'mer_demo', merchantName: 'Demo', correlationId: 'req-1' };
    expect(http.behaviour.asked).toEqual([new CreatePaymentCommand(caller, 'key-1', PAYMENT)]);
  });

  it('shows the next action while there is one, and marks a replay', async () => {
    const nextAction = { type: '3DS_AUTHENTICATION', redirectUrl: 'http://a/1', fallbackUrl: 'http://a/2' } as const;
    http.behaviour.createPayment = () => done({ ...CREATED, payment: { ...CREATED.payment, nextAction } }, true);
    const answer = await http.app.inject(createRequest());
    expect(answer.statusCode).toBe(201);
    expect(answer.headers).toHaveProperty('idempotent-replayed', 'true');
    expect(answer.json().nextAction).toEqual(nextAction);
  });

  it('answers a create that is refused', async () => {
    const problems = Array.from(
      { length: 30 },
      (_, n) => ({ field: `f${n}`, code: 'CARD_EXPIRED', message: 'm' }) as const,
    );
    http.behaviour.createPayment = () => refused('VALIDATION_FAILED', problems);
    const answer = await http.app.inject(createRequest());
    expect(answer.statusCode).toBe(400);
    const { message, ...error } = answer.json().error;
    expect(error).toEqual({ code: 'VALIDATION_FAILED', details: problems.slice(0, 20), requestId: 'req-1' });
    expect(typeof message).toBe('string');
  });

  it.each([
    ['IDEMPOTENCY_KEY_REUSED', 422],
    ['GATEWAY_UNAVAILABLE', 503],
  ] as const)('answers %s with %d', async (code, status) => {
    http.behaviour.createPayment = () => refused(code);
    const answer = await http.app.inject(createRequest());
    expect([answer.statusCode, answer.json().error.code]).toEqual([status, code]);
    expect('retry-after' in answer.headers).toBe(status === 503);
  });

  it('reads a payment', async () => {
    const answer = await http.app.inject(getRequest());
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'private, max-age=5',
      'x-request-id': 'req-1',
    });
    expect(answer.json()).toEqual(paymentBody());
    expect(http.behaviour.asked).toEqual([new GetPaymentQuery('mer_demo', PAYMENT_ID)]);
  });

  it('answers HEAD like GET, without the body', async () => {
    const answer = await http.app.inject({ ...getRequest(), method: 'HEAD' });
    expect([answer.statusCode, answer.body]).toEqual([200, '']);
    expect(answer.headers['content-length']).toBe(String(JSON.stringify(paymentBody()).length));
  });

  it('tells a missing payment from a malformed identifier by nothing', async () => {
    http.behaviour.getPayment = () => null;
    const ids = [PAYMENT_ID, 'pay_x', 'x', PAYMENT_ID.toLowerCase(), 'A'.repeat(3000)];
    const answers = await Promise.all(ids.map((id) => http.app.inject(getRequest(`/api/v2/payments/${id}`))));
    expect(new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1);
    expect(answers[0]?.json().error.code).toBe('PAYMENT_NOT_FOUND');
    expect(answers[0]?.headers['cache-control']).toBe('no-store');
    http.behaviour.getPayment = () => paymentBody();
  });

  it('accepts a refund', async () => {
    const body = { amount: { value: '5.00', currency: 'EUR' }, reason: 'damaged', referenceId: 'rma-1' };
    const answer = await http.app.inject(refundRequest(body));
    expect(answer.statusCode).toBe(202);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      location: `/api/v2/refunds/${REFUND_ID}`,
      'x-request-id': 'req-1',
    });
    expect(answer.json()).toEqual({
      refundId: REFUND_ID,
      paymentId: PAYMENT_ID,
      status: 'PENDING',
      amount: { value: '5.00', currency: 'EUR' },
      reason: 'damaged',
      referenceId: 'rma-1',
      estimatedCompletion: '2030-01-02T00:00:00.000Z',
      timeline: { createdAt: '2030-01-01T00:00:00.000Z' },
    });
    const caller = { merchantId: 'mer_demo', merchantName: 'Demo', correlationId: 'req-1' };
    expect(http.behaviour.asked).toEqual([new CreateRefundCommand(caller, 'key-1', PAYMENT_ID, body)]);
  });

  it('marks a replayed refund', async () => {
    http.behaviour.createRefund = () => done(REFUND, true);
    const answer = await http.app.inject(refundRequest());
    expect([answer.statusCode, answer.headers['idempotent-replayed']]).toEqual([202, 'true']);
  });

  it.each([
    ['PAYMENT_NOT_FOUND', 404],
    ['INVALID_STATE', 409],
    ['CURRENCY_MISMATCH', 422],
    ['REFUND_AMOUNT_EXCEEDED', 422],
    ['IDEMPOTENCY_KEY_REUSED', 422],
  ] as const)('answers a refund that is refused with %s', async (code, status) => {
    http.behaviour.createRefund = () => refused(code);
    const answer = await http.app.inject(refundRequest());
    expect([answer.statusCode, answer.json().error.code]).toEqual([status, code]);
  });

  it('says of a refusal what the command says of it', async () => {
    http.behaviour.createRefund = () => ({ ...refused('CURRENCY_MISMATCH'), message: 'The payment is in EUR.' });
    const answer = await http.app.inject(refundRequest());
    expect(answer.json().error).toMatchObject({ code: 'CURRENCY_MISMATCH', message: 'The payment is in EUR.' });
  });

  it('reads a refund', async () => {
    const refund = {
      refundId: REFUND_ID,
      paymentId: PAYMENT_ID,
      status: 'COMPLETED',
      amount: { value: '5.00', currency: 'EUR' },
      estimatedCompletion: '2030-01-02T00:00:00.000Z',
      timeline: { createdAt: '2030-01-01T00:00:00.000Z', completedAt: '2030-01-01T00:00:09.000Z' },
    } as const;
    http.behaviour.getRefund = () => refund;
    const answer = await http.app.inject(getRequest(`/api/v2/refunds/${REFUND_ID}`));
    expect([answer.statusCode, answer.json()]).toEqual([200, refund]);
    expect(http.behaviour.asked).toEqual([new GetRefundQuery('mer_demo', REFUND_ID)]);
    http.behaviour.getRefund = () => null;
    for (const id of [REFUND_ID, 'ref_x']) {
      const missing = await http.app.inject(getRequest(`/api/v2/refunds/${id}`));
      expect([missing.statusCode, missing.json().error.code]).toEqual([404, 'REFUND_NOT_FOUND']);
    }
  });

  it('reads several payments, in order, repetitions and all', async () => {
    const error = { code: 'INSUFFICIENT_FUNDS', message: 'Not enough.' };
    const processing = `pay_${'T'.repeat(26)}`;
    const failed = `pay_${'S'.repeat(26)}`;
    const known = new Map([
      [PAYMENT_ID, paymentBody()],
      [failed, paymentBody({ paymentId: failed, status: 'FAILED', error })],
      [processing, paymentBody({ paymentId: processing, status: 'PROCESSING' })],
    ]);
    http.behaviour.getPayments = (ids) => ids.map((id) => known.get(id) ?? null);
    const ids = [failed, PAYMENT_ID, 'nonsense', PAYMENT_ID, OTHER_PAYMENT_ID, processing];
    const answer = await http.app.inject(batchRequest(ids));
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': 'req-1',
    });
    const amount = { value: '12.50', currency: 'EUR' };
    expect(answer.json()).toEqual({
      results: [
        { paymentId: failed, status: 'FAILED', error },
        { paymentId: PAYMENT_ID, status: 'COMPLETED', amount },
        { paymentId: 'nonsense', status: 'NOT_FOUND' },
        { paymentId: PAYMENT_ID, status: 'COMPLETED', amount },
        { paymentId: OTHER_PAYMENT_ID, status: 'NOT_FOUND' },
        { paymentId: processing, status: 'PROCESSING' },
      ],
      summary: { total: 6, succeeded: 2, failed: 1, notFound: 2, other: 1 },
    });
    expect(http.behaviour.asked).toEqual([new GetPaymentsQuery('mer_demo', ids)]);
  });

  it('takes 1 to 100 identifiers', async () => {
    const statusOf = async (size: number) => (await http.app.inject(batchRequest(Array(size).fill('x')))).statusCode;
    expect([await statusOf(1), await statusOf(100)]).toEqual([200, 200]);
    for (const size of [0, 101]) {
      const answer = await http.app.inject(batchRequest(Array(size).fill('x')));
      expect([answer.statusCode, answer.json().error.code]).toEqual([400, 'BATCH_SIZE_INVALID']);
    }
  });
});
