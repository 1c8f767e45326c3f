import {
  type HttpFixture,
  MERCHANT_TOKEN,
  OPERATOR_TOKEN,
  PAYMENT_ID,
  READ_ONLY_TOKEN,
  SIGNING_SECRETS,
  startHttp,
  STRICT_TOKEN,
  SUSPENDED_TOKEN,
} from './testing/http-fixture';
import {
  batchRequest,
  createRequest,
  getRequest,
  PAYMENT,
  refundRequest,
  sign,
  type TestRequest,
} from './testing/requests';
import { having, refusalOf, statusOf, without } from './testing/refusal';

describe('the gate', () => {
  let http: HttpFixture;
  beforeAll(async () => {
    http = await startHttp();
  });
  beforeEach(() => {
    http.behaviour.asked.length = 0;
    http.behaviour.isStale = false;
  });
  afterAll(() => http.app.close());

  const refusal = (request: TestRequest) => refusalOf(http, request);
  const status = (request: TestRequest) => statusOf(http, request);

  describe('tokens', () => {
    it.each([
      ['none', ''],
      ['another scheme', `Basic ${MERCHANT_TOKEN}`],
      ['no scheme', MERCHANT_TOKEN],
      ['no token', 'Bearer'],
      ['an unknown token', 'Bearer cft_unknown'],
      ['two tokens', `Bearer ${MERCHANT_TOKEN}, Bearer ${MERCHANT_TOKEN}`],
      ['a token with something after it', `Bearer ${MERCHANT_TOKEN} x`],
      ['a token in another case', `Bearer ${MERCHANT_TOKEN.toUpperCase()}`],
      ["the operator's token", `Bearer ${OPERATOR_TOKEN}`],
      ['an endless token', `Bearer ${'x'.repeat(4000)}`],
    ])('refuses %s with one and the same answer', async (_name, authorization) => {
      const answer = await http.app.inject({ ...getRequest(), headers: { authorization, 'x-request-id': 'r' } });
      expect(answer.statusCode).toBe(401);
      expect(answer.json()).toEqual({
        error: {
          code: 'UNAUTHENTICATED',
          message: 'Send a valid access token as Authorization: Bearer <token>.',
          requestId: 'r',
        },
      });
    });

    it('asks for a token everywhere', async () => {
      const anonymous = (request: TestRequest): TestRequest => {
        delete request.headers['authorization'];
        return request;
      };
      const refunds = getRequest('/api/v2/refunds/ref_x');
      for (const request of [createRequest(), getRequest(), refundRequest(), refunds, batchRequest(['x'])]) {
        expect(await refusal(anonymous(request))).toEqual([401, 'UNAUTHENTICATED']);
      }
      const { authorization: _, ...headers } = getRequest().headers;
      expect(await status({ ...getRequest(), method: 'HEAD', headers })).toBe(401);
    });

    it('takes the scheme in any case', async () => {
      expect(await status({ ...getRequest(), headers: { authorization: `bearer  ${MERCHANT_TOKEN}` } })).toBe(200);
    });

    it('lets nobody in whose merchant is suspended, and says so whatever else is wrong', async () => {
      const suspended = (request: TestRequest) => {
        request.headers['authorization'] = `Bearer ${SUSPENDED_TOKEN}`;
        return sign(request);
      };
      for (const request of [getRequest(), createRequest(), refundRequest()].map(suspended)) {
        expect(await refusal(request)).toEqual([403, 'MERCHANT_SUSPENDED']);
      }
      expect(http.behaviour.asked).toEqual([]);
    });

    it('asks for the scope', async () => {
      const reading = (request: TestRequest) => {
        request.headers['authorization'] = `Bearer ${READ_ONLY_TOKEN}`;
        return sign(request);
      };
      expect(await refusal(reading(createRequest()))).toEqual([403, 'SCOPE_MISSING']);
      const refund = refundRequest();
      refund.headers['authorization'] = `Bearer ${READ_ONLY_TOKEN}`;
      expect(await refusal(refund)).toEqual([403, 'SCOPE_MISSING']);
      expect(await status({ ...getRequest(), headers: { authorization: `Bearer ${READ_ONLY_TOKEN}` } })).toBe(200);
    });

    it('lets nobody in while revocations may have been missed', async () => {
      http.behaviour.isStale = true;
      const answer = await http.app.inject(getRequest());
      expect([answer.statusCode, answer.json().error.code]).toEqual([503, 'EVENT_STORE_UNAVAILABLE']);
      expect(answer.headers['retry-after']).toBe('5');
      expect(await status({ method: 'GET', url: '/health/live', headers: {} })).toBe(200);
    });
  });

  describe('X-Merchant-ID', () => {
    it('is required on a create', async () => {
      const answer = await http.app.inject(without('x-merchant-id'));
      expect([answer.statusCode, answer.json().error.code]).toEqual([400, 'VALIDATION_FAILED']);
      expect(answer.json().error.details).toMatchObject([{ field: 'X-Merchant-ID', code: 'REQUIRED' }]);
    });

    it.each(['mer_other', 'MER_DEMO', 'mer_demo, mer_demo', ''])(
      '%j is not the merchant of the token',
      async (name) => {
        expect(await refusal(having('x-merchant-id', name))).toEqual([403, 'MERCHANT_MISMATCH']);
        const read = getRequest();
        read.headers['x-merchant-id'] = name;
        expect(await refusal(read)).toEqual([403, 'MERCHANT_MISMATCH']);
      },
    );

    it('may stand with a read', async () => {
      const read = getRequest();
      read.headers['x-merchant-id'] = 'mer_demo';
      expect(await status(read)).toBe(200);
    });
  });

  describe('timestamp and signature', () => {
    it('are required on a create', async () => {
      expect(await refusal(without('x-timestamp'))).toEqual([401, 'TIMESTAMP_OUT_OF_RANGE']);
      const unsigned = createRequest();
      delete unsigned.headers['x-signature'];
      expect(await refusal(unsigned)).toEqual([401, 'SIGNATURE_INVALID']);
    });

    it('are named, with the place that explains them, where a request must have them and has neither', async () => {
      const unsigned = without('x-timestamp');
      delete unsigned.headers['x-signature'];
      const strict = refundRequest();
      strict.headers['authorization'] = `Bearer ${STRICT_TOKEN}`;
      for (const request of [unsigned, strict]) {
        const answer = await http.app.inject(request);
        expect([answer.statusCode, answer.json().error.code]).toEqual([401, 'SIGNATURE_INVALID']);
        expect(answer.json().error.message).toBe(
          'This request has to be signed: send X-Merchant-ID, X-Timestamp and X-Signature as /docs#signing-requests shows.',
        );
      }
    });

    it.each([
      '2029-12-31T23:54:59.999Z',
      '2030-01-01T00:01:00.001Z',
      '2030-02-30T00:00:00Z',
      'x',
      '2030-01-01T00:00:00Z, 2030-01-01T00:00:00Z',
    ])('refuses the time %s', async (timestamp) => {
      expect(await refusal(having('x-timestamp', timestamp))).toEqual([401, 'TIMESTAMP_OUT_OF_RANGE']);
    });

    it('take a time in small letters, signed as it was sent', async () => {
      const request = having('x-timestamp', '2030-01-01t00:00:00z');
      expect(await status(request)).toBe(201);
      http.behaviour.asked.length = 0;
      request.headers['x-timestamp'] = '2030-01-01T00:00:00Z';
      expect(await refusal(request)).toEqual([401, 'SIGNATURE_INVALID']);
    });

    it('refuses a signature over anything else', async () => {
      const changed: ((request: TestRequest) => void)[] = [
        (request) => (request.payload = JSON.stringify({ ...PAYMENT, captureMethod: 'MANUAL' })),
        (request) => (request.payload = `${String(request.payload)} `),
        (request) => (request.url = `${request.url}?x=1`),
        ({ headers }) => (headers['idempotency-key'] = 'key-2'),
        ({ headers }) => (headers['x-timestamp'] = '2030-01-01T00:00:01.000Z'),
        ({ headers }) => (headers['x-signature'] = headers['x-signature']!.toUpperCase()),
        ({ headers }) => (headers['x-signature'] = `${headers['x-signature']}, ${headers['x-signature']}`),
        ({ headers }) => (headers['x-signature'] = ''),
      ];
      for (const change of changed) {
        const request = createRequest();
        change(request);
        expect(await refusal(request)).toEqual([401, 'SIGNATURE_INVALID']);
      }
    });

    it('takes both live secrets, and no other', async () => {
      for (const secret of SIGNING_SECRETS) expect(await status(sign(createRequest(), secret))).toBe(201);
      http.behaviour.asked.length = 0;
      expect(await refusal(sign(createRequest(), 'cfs_other'))).toEqual([401, 'SIGNATURE_INVALID']);
    });

    it('are judged on a read when either is there', async () => {
      const read = (change: (request: TestRequest) => void): TestRequest => {
        const request = getRequest(`/api/v2/payments/${PAYMENT_ID}?fields=all`);
        request.headers['x-timestamp'] = '2030-01-01T00:00:00Z';
        sign(request);
        change(request);
        return request;
      };
      expect(await status(read(() => undefined))).toBe(200);
      http.behaviour.asked.length = 0;
      expect(await refusal(read(({ headers }) => delete headers['x-timestamp']))).toEqual([
        401,
        'TIMESTAMP_OUT_OF_RANGE',
      ]);
      expect(await refusal(read(({ headers }) => delete headers['x-signature']))).toEqual([401, 'SIGNATURE_INVALID']);
      expect(await refusal(read(({ headers }) => (headers['x-merchant-id'] = 'mer_demo')))).toEqual([
        401,
        'SIGNATURE_INVALID',
      ]);
    });

    it('are required on every write where the merchant wants that', async () => {
      const strict = (request: TestRequest): TestRequest => {
        request.headers['authorization'] = `Bearer ${STRICT_TOKEN}`;
        return request;
      };
      expect(await refusal(strict(refundRequest()))).toEqual([401, 'SIGNATURE_INVALID']);
      expect(await refusal(sign(strict(refundRequest())))).toEqual([401, 'TIMESTAMP_OUT_OF_RANGE']);
      const signed = strict(refundRequest());
      signed.headers['x-timestamp'] = '2030-01-01T00:00:00Z';
      expect(await status(sign(signed))).toBe(202);
      expect(await status(strict(getRequest()))).toBe(200);
      expect(await status(strict(batchRequest(['x'])))).toBe(200);
    });
  });

  describe('Idempotency-Key', () => {
    it.each([
      ['a create', () => without('idempotency-key')],
      [
        'a refund',
        () => {
          const request = refundRequest();
          delete request.headers['idempotency-key'];
          return request;
        },
      ],
    ])('is required on %s', async (_name, request) => {
      expect(await refusal(request())).toEqual([400, 'IDEMPOTENCY_KEY_MISSING']);
    });

    it.each(['', 'a b', 'key-1, key-1', 'é', 'x'.repeat(256)])('is refused as %j', async (key) => {
      expect(await refusal(having('idempotency-key', key))).toEqual([400, 'IDEMPOTENCY_KEY_INVALID']);
    });

    it('may have 255 characters', async () => {
      expect(await status(having('idempotency-key', '~'.repeat(255)))).toBe(201);
    });
  });

  describe('X-Request-ID', () => {
    it('is made up when absent, a new one each time', async () => {
      const ids = await Promise.all(
        [1, 2].map(async () => (await http.app.inject({ url: '/health/live' })).headers['x-request-id']),
      );
      expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
      expect(ids[1]).not.toBe(ids[0]);
    });

    it.each(['', 'a b', 'req-1, req-1', 'é', 'x'.repeat(129)])('is refused as %j, and not echoed', async (id) => {
      const answer = await http.app.inject({ ...getRequest(), headers: { 'x-request-id': id } });
      expect([answer.statusCode, answer.json().error.code]).toEqual([400, 'REQUEST_ID_INVALID']);
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    });

    it("may not hold the request's own card number, also between other digits, and does not come back then", async () => {
      const { number } = PAYMENT.payer.paymentMethod.card;
      for (const payload of [JSON.stringify(PAYMENT), JSON.stringify({ ...PAYMENT, amount: 'wrong' })]) {
        const request = having('x-request-id', `order-7${number}`);
        request.payload = payload;
        sign(request);
        const answer = await http.app.inject(request);
        expect([answer.statusCode, answer.json().error.code]).toEqual([400, 'REQUEST_ID_INVALID']);
        expect(answer.headers['x-request-id']).toBe(answer.json().error.requestId);
        expect(JSON.stringify([answer.headers, answer.body])).not.toContain(number);
      }
    });

    it('is echoed on every answer', async () => {
      const headers = { 'x-request-id': '!'.repeat(128) };
      for (const url of ['/health/live', '/nowhere', '/api/v2/payments/x', '/%', '/metrics']) {
        expect((await http.app.inject({ url, headers })).headers['x-request-id']).toBe(headers['x-request-id']);
      }
    });
  });

  it('checks in a fixed order', async () => {
    const request = createRequest(({ headers }) => {
      Object.assign(headers, {
        'x-request-id': 'a b',
        authorization: 'Bearer x',
        'x-merchant-id': 'mer_other',
        'x-timestamp': 'x',
        'idempotency-key': '',
      });
    });
    request.headers['x-signature'] = 'x';
    request.payload = '{"amount":'.padEnd(256 * 1024 + 1);
    const repairs: [string, () => unknown][] = [
      ['BODY_TOO_LARGE', () => (request.payload = '{"amount":')],
      ['REQUEST_ID_INVALID', () => (request.headers['x-request-id'] = 'req-1')],
      ['UNAUTHENTICATED', () => (request.headers['authorization'] = `Bearer ${MERCHANT_TOKEN}`)],
      ['MERCHANT_MISMATCH', () => (request.headers['x-merchant-id'] = 'mer_demo')],
      ['TIMESTAMP_OUT_OF_RANGE', () => (request.headers['x-timestamp'] = '2030-01-01T00:00:00Z')],
      ['SIGNATURE_INVALID', () => undefined],
      ['IDEMPOTENCY_KEY_INVALID', () => (request.headers['idempotency-key'] = 'key-1')],
      ['MALFORMED_JSON', () => (request.payload = '{}')],
      ['VALIDATION_FAILED', () => (request.payload = JSON.stringify(PAYMENT))],
    ];
    const seen: string[] = [];
    for (const [code, repair] of repairs) {
      seen.push((await refusal(request))[1]);
      repair();
      if (code !== 'BODY_TOO_LARGE' && seen.includes('SIGNATURE_INVALID')) sign(request);
    }
    expect(seen).toEqual(repairs.map(([code]) => code));
    expect(await status(request)).toBe(201);
  });
});
