import { useLedger } from '../support/ledger';
import { paymentRequest } from '../support/merchant-client';
import {
  bodyOf,
  CARDS,
  create,
  createCompleted,
  type CreatedPayment,
  idPattern,
  read,
  type ReadPayment,
  TIME,
  untilStatus,
} from '../support/payments';

const ledger = useLedger();

/** Card, final status, the error's code, and the risk's level. */
const SANDBOX_TABLE: readonly (readonly [card: string, status: string, error: string | null, risk: string])[] = [
  ['4111111111111111', 'COMPLETED', null, 'LOW'],
  ['4242424242424242', 'COMPLETED', null, 'LOW'],
  ['5555555555554444', 'COMPLETED', null, 'LOW'],
  ['378282246310005', 'COMPLETED', null, 'LOW'],
  ['4000000000000002', 'FAILED', 'CARD_DECLINED', 'LOW'],
  ['4000000000009995', 'FAILED', 'INSUFFICIENT_FUNDS', 'LOW'],
  ['4000000000009987', 'FAILED', 'LOST_CARD', 'LOW'],
  ['4000000000009979', 'FAILED', 'STOLEN_CARD', 'LOW'],
  ['4000000000000069', 'FAILED', 'EXPIRED_CARD', 'LOW'],
  ['4000000000000127', 'FAILED', 'INCORRECT_CVC', 'LOW'],
  ['4000000000000119', 'FAILED', 'PROCESSING_ERROR', 'LOW'],
  ['4000000000003220', 'PROCESSING', null, 'LOW'],
  ['4000008400001629', 'PROCESSING', null, 'LOW'],
  ['4000008260003178', 'PROCESSING', null, 'LOW'],
  ['4000000000009235', 'COMPLETED', null, 'MEDIUM'],
  ['4000000000004954', 'PROCESSING', null, 'HIGH'],
  ['4100000000000019', 'FAILED', 'RISK_BLOCKED', 'HIGH'],
  ['4000000000000341', 'COMPLETED', null, 'LOW'],
  ['4000000000008807', 'FAILED', 'CAPTURE_REFUSED', 'LOW'],
  ['4000000000008815', 'COMPLETED', null, 'LOW'],
  ['4000000000008823', 'COMPLETED', null, 'LOW'],
  ['4000000000005126', 'COMPLETED', null, 'LOW'],
  ['4000000000007726', 'COMPLETED', null, 'LOW'],
  ['4000000000000259', 'COMPLETED', null, 'LOW'],
];

describe('the answer to a create', () => {
  it('has the headers and the body of the interface, and nothing else', async () => {
    const answer = await ledger.client.createPayment(paymentRequest(), { headers: { 'X-Request-ID': 'my-request-1' } });
    expect(answer.status).toBe(201);
    const created = bodyOf<CreatedPayment>(answer, 201);
    expect(created).toEqual({
      paymentId: expect.stringMatching(idPattern('pay')),
      transactionId: expect.stringMatching(idPattern('txn')),
      status: 'PROCESSING',
      amount: { value: '129.90', currency: 'EUR' },
      merchant: { merchantId: ledger.client.credentials.merchantId, orderId: 'order-1' },
      payer: { payerId: 'payer-1', maskedCardNumber: '411111******1111' },
      timeline: { createdAt: expect.stringMatching(TIME), expiresAt: expect.stringMatching(TIME) },
      metadata: { gatewayReference: expect.any(String), riskScore: expect.any(Number), riskLevel: 'LOW' },
    });
    expect(created.metadata.riskScore % 1).toBe(0);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(answer.headers.get('x-request-id')).toBe('my-request-1');
    expect(answer.headers.get('x-transaction-id')).toBe(created.transactionId);
    expect(answer.headers.get('x-processing-time')).toMatch(/^\d+$/);
    expect(answer.headers.get('location')).toBe(`/api/v2/payments/${created.paymentId}`);
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
    expect(answer.headers.get('cache-control') ?? '').not.toMatch(/public/);
  });

  it('leaves 30 minutes for the customer', async () => {
    const { timeline } = await create(ledger.client);
    expect(Date.parse(timeline.expiresAt) - Date.parse(timeline.createdAt)).toBe(30 * 60_000);
  });

  it('says what the customer has to do', async () => {
    const { nextAction } = await create(ledger.client, { card: CARDS.challenge });
    const page = new RegExp(`^${ledger.service.url}/`);
    expect(nextAction).toEqual({
      type: '3DS_AUTHENTICATION',
      redirectUrl: expect.stringMatching(page),
      fallbackUrl: expect.stringMatching(page),
    });
    expect(nextAction?.redirectUrl).not.toBe(nextAction?.fallbackUrl);
  });

  it('makes up a request id where there was none', async () => {
    const answer = await ledger.client.createPayment(paymentRequest(), { headers: { 'X-Request-ID': null } });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('x-request-id')).toMatch(/^[\x21-\x7e]{1,128}$/);
  });

  it('takes every field of the interface', async () => {
    const extra = {
      order: {
        orderId: 'order-2',
        description: 'Two tickets',
        items: [
          { sku: 'T-1', name: 'Ticket', quantity: 2, unitPrice: '64.95' },
          { name: 'Leaflet', unitPrice: '0' },
        ],
      },
      payer: {
        payerId: 'payer-2',
        paymentMethod: {
          type: 'credit_card',
          card: {
            number: '4111111111111111',
            expiryMonth: '01',
            expiryYear: '2031',
            cvv: '123',
            holderName: 'Zoë O’Brien',
          },
        },
      },
      notifyUrl: 'https://shop.example/hooks?tenant=1',
      returnUrl: 'https://shop.example/thanks',
      riskData: {
        ipAddress: '2001:db8::7',
        deviceFingerprint: 'f-1',
        geoLocation: { country: 'IE', city: 'Cork' },
      },
    };
    const created = await create(ledger.client, { extra });
    expect(created).toMatchObject({ merchant: { orderId: 'order-2' }, payer: { payerId: 'payer-2' } });
  });
});

describe('a payment that completes', () => {
  it('reads with the body and headers of the interface', async () => {
    const created = await create(ledger.client);
    const done = await untilStatus(ledger.client, created.paymentId, 'COMPLETED');
    expect(done).toEqual({
      paymentId: created.paymentId,
      status: 'COMPLETED',
      amount: { value: '129.90', currency: 'EUR' },
      timeline: {
        createdAt: created.timeline.createdAt,
        authorizedAt: expect.stringMatching(TIME),
        capturedAt: expect.stringMatching(TIME),
        completedAt: expect.stringMatching(TIME),
      },
      transactions: [
        {
          transactionId: created.transactionId,
          type: 'AUTHORIZATION',
          amount: '129.90',
          status: 'SUCCESS',
          processorResponse: { code: '00', message: 'Approved' },
        },
        {
          transactionId: expect.stringMatching(idPattern('txn')),
          type: 'CAPTURE',
          amount: '129.90',
          status: 'SUCCESS',
        },
      ],
      orderId: 'order-1',
      payer: { payerId: 'payer-1', maskedCardNumber: '411111******1111' },
      captureMethod: 'AUTOMATIC',
      riskLevel: 'LOW',
      capturedAmount: { value: '129.90', currency: 'EUR' },
      refundedAmount: { value: '0.00', currency: 'EUR' },
      disputes: [],
      merchantMetadata: {},
    });
    const { createdAt, authorizedAt, capturedAt, completedAt } = done.timeline;
    const times = [createdAt, authorizedAt, capturedAt, completedAt];
    expect(times).toEqual([...times].sort());
    expect(done.transactions[0]?.transactionId).not.toBe(done.transactions[1]?.transactionId);

    const answer = await ledger.client.payment(created.paymentId, { headers: { 'X-Request-ID': 'reading' } });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(answer.headers.get('x-request-id')).toBe('reading');
    const directives = (answer.headers.get('cache-control') ?? '').split(/, */).sort();
    expect(directives).toEqual(['max-age=5', 'private']);
  });
});

describe("the sandbox's cards", () => {
  const created = new Map<string, CreatedPayment>();

  beforeAll(async () => {
    // All at once: those whose answer is lost take some seconds, which are waited for together.
    const payments = await Promise.all(SANDBOX_TABLE.map(([card]) => create(ledger.client, { card })));
    SANDBOX_TABLE.forEach(([card], index) => created.set(card, payments[index]!));
  });

  it.each(SANDBOX_TABLE)('%s: %s %s', async (card, status, error, risk) => {
    const payment = created.get(card)!;
    const waits = status === 'PROCESSING';
    expect(payment.status).toBe('PROCESSING');
    expect(payment.metadata.riskLevel).toBe(risk);
    expect(payment.nextAction?.type).toBe(waits ? '3DS_AUTHENTICATION' : undefined);
    const body = await untilStatus(ledger.client, payment.paymentId, status);
    expect(body.error).toEqual(error === null ? undefined : { code: error, message: expect.any(String) });
    expect(shapeOf(body)).toEqual(expectedShape(status, error));
    expect(body.timeline['failedAt'] === undefined).toBe(status !== 'FAILED');
  });
});

function shapeOf(body: ReadPayment): readonly string[] {
  return body.transactions.map(({ type, status }) => `${type} ${status}`);
}

function expectedShape(status: string, error: string | null): readonly string[] {
  if (status === 'COMPLETED') return ['AUTHORIZATION SUCCESS', 'CAPTURE SUCCESS'];
  if (status === 'PROCESSING') return ['AUTHORIZATION PENDING'];
  return error === 'CAPTURE_REFUSED'
    ? ['AUTHORIZATION SUCCESS', 'CAPTURE FAILED', 'VOID SUCCESS']
    : ['AUTHORIZATION FAILED'];
}

describe('our additions', () => {
  it('leaves a payment with manual capture AUTHORIZED', async () => {
    const manual = await create(ledger.client, { extra: { captureMethod: 'MANUAL' } });
    await untilStatus(ledger.client, manual.paymentId, 'AUTHORIZED');
    // Whatever would capture it has had its turn once a later payment is through.
    await createCompleted(ledger.client);
    const body = await read(ledger.client, manual.paymentId);
    expect(body.status).toBe('AUTHORIZED');
    expect(shapeOf(body)).toEqual(['AUTHORIZATION SUCCESS']);
    expect(Object.keys(body.timeline)).toEqual(['createdAt', 'authorizedAt']);
    expect(body.capturedAmount).toEqual({ value: '0.00', currency: 'EUR' });
  });

  it('shows merchant metadata on reads, whatever their keys', async () => {
    const merchantMetadata = { '10': 'ten', '2': 'two', color: 'grün 🌱', empty: '', 'a b.c/d': 'x'.repeat(500) };
    const { paymentId } = await create(ledger.client, { extra: { merchantMetadata } });
    expect((await read(ledger.client, paymentId)).merchantMetadata).toEqual(merchantMetadata);
    expect((await untilStatus(ledger.client, paymentId, 'COMPLETED')).merchantMetadata).toEqual(merchantMetadata);
  });

  it('takes 50 pairs of metadata with keys of 40 characters', async () => {
    const pairs = Array.from({ length: 50 }, (_, index) => [`${index}`.padStart(40, 'k'), `${index}`]);
    const merchantMetadata = Object.fromEntries(pairs) as Record<string, string>;
    const { paymentId } = await create(ledger.client, { extra: { merchantMetadata } });
    expect((await read(ledger.client, paymentId)).merchantMetadata).toEqual(merchantMetadata);
  });
});

describe('amounts', () => {
  it.each([
    ['JPY', '1', '1'],
    ['JPY', '999999999999', '999999999999'],
    ['EUR', '0.01', '0.01'],
    ['EUR', '1', '1.00'],
    ['EUR', '1.5', '1.50'],
    ['EUR', '999999999999.99', '999999999999.99'],
    ['KWD', '0.001', '0.001'],
    ['KWD', '7.5', '7.500'],
    ['KWD', '999999999999.999', '999999999999.999'],
    ['CLF', '0.0001', '0.0001'],
    ['CLF', '999999999999.9999', '999999999999.9999'],
  ])('%s %s is taken and shown as %s', async (currency, value, shown) => {
    const created = await create(ledger.client, { value, currency });
    expect(created.amount).toEqual({ value: shown, currency });
    const done = await untilStatus(ledger.client, created.paymentId, 'COMPLETED');
    expect([done.amount, done.capturedAmount]).toEqual([created.amount, created.amount]);
    expect(done.transactions.map(({ amount }) => amount)).toEqual([shown, shown]);
  });
});
