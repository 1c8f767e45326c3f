import { type HttpFixture, PAYMENT_ID, startHttp } from './testing/http-fixture';
import { having, refusalOf, statusOf, without } from './testing/refusal';
import { CancelPaymentCommand } from '@app/payments/commands/commands';
import {
  cancelRequest,
  createRequest,
  getRequest,
  NOW,
  PAYMENT,
  refundRequest,
  sign,
  type TestRequest,
} from './testing/requests';

describe('bodies and paths', () => {
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

  describe('bodies', () => {
    const posted = (payload: string | Buffer) => createRequest((request) => (request.payload = payload));

    it.each([
      ['empty', ''],
      ['broken', '{"amount":'],
      ['a list', '[]'],
      ['with a repeated key', '{"amount":1,"\\u0061mount":1}'],
      ['with __proto__', '{"__proto__":{}}'],
      ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
      ['too deep', `{"a":${'['.repeat(32)}${']'.repeat(32)}}`],
    ])('are refused when %s', async (_name, payload) => {
      expect(await refusal(posted(payload))).toEqual([400, 'MALFORMED_JSON']);
    });

    it('are judged by their shape', async () => {
      const answer = await http.app.inject(
        posted(JSON.stringify({ ...PAYMENT, amount: { value: 1, currency: 'EUR' }, x: 1 })),
      );
      expect([answer.statusCode, answer.json().error.code]).toEqual([400, 'VALIDATION_FAILED']);
      expect(answer.json().error.details).toEqual([
        { field: 'amount.value', code: 'INVALID_FORMAT', message: 'This must be a string.' },
        { field: 'x', code: 'UNKNOWN_FIELD', message: 'There is no such field.' },
      ]);
      expect(http.behaviour.asked).toEqual([]);
    });

    it('may have 256 KiB and no more', async () => {
      const text = JSON.stringify(PAYMENT);
      expect(await status(posted(text.padEnd(256 * 1024)))).toBe(201);
      http.behaviour.asked.length = 0;
      const tooLarge = posted(text.padEnd(256 * 1024 + 1));
      expect(await refusal(tooLarge)).toEqual([413, 'BODY_TOO_LARGE']);
      delete tooLarge.headers['authorization'];
      expect(await refusal(tooLarge)).toEqual([413, 'BODY_TOO_LARGE']);
    });

    it.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      'application/problem+json',
      'json',
      'application/json; charset=utf-16',
      'application/json; charset="latin1"',
      'application/json; charset=utf-8; charset=utf-7',
      'application/json, application/json',
      'application/json; x',
      'application/json;; charset=utf-16',
      'application/jsonp;',
    ])('are not taken as %s', async (type) => {
      expect(await refusal(having('content-type', type))).toEqual([415, 'MEDIA_TYPE_NOT_SUPPORTED']);
    });

    it.each([
      'application/json',
      'Application/JSON;charset=UTF-8',
      'application/json; charset="utf-8"',
      'application/json; x=1',
      'application/json;',
      'application/json ; ',
      'application/json;;charset=utf-8; ;',
    ])('are taken as %s', async (type) => {
      expect(await status(having('content-type', type))).toBe(201);
    });

    it('are not taken without a type, or compressed', async () => {
      expect(await refusal(without('content-type'))).toEqual([415, 'MEDIA_TYPE_NOT_SUPPORTED']);
      expect(await refusal(having('content-encoding', 'gzip'))).toEqual([415, 'MEDIA_TYPE_NOT_SUPPORTED']);
    });
  });

  describe('bodies in which nothing has to be said', () => {
    const typed = (type: string, payload?: string) =>
      cancelRequest((request) => {
        request.headers['content-type'] = type;
        if (payload !== undefined) request.payload = payload;
      });

    it.each<[string, TestRequest]>([
      ['absent, with no word of its type', cancelRequest()],
      ['empty, of no type', cancelRequest((request) => (request.payload = ''))],
      ['absent, as JSON', typed('application/json')],
      ['empty, as JSON', typed('application/json; charset=utf-8', '')],
      ['empty, as curl sends it with -d ""', typed('application/x-www-form-urlencoded', '')],
      ['{}', typed('application/json', '{}')],
      [
        'absent, and signed',
        cancelRequest((request) => {
          request.headers['x-timestamp'] = NOW;
          sign(request);
        }),
      ],
    ])('are taken when %s, and are all the same', async (_name, request) => {
      expect(await status(request)).toBe(202);
      const caller = { merchantId: 'mer_demo', merchantName: 'Demo', correlationId: 'req-1' };
      expect(http.behaviour.asked).toEqual([new CancelPaymentCommand(caller, 'key-1', PAYMENT_ID, {})]);
    });

    it.each<[string, TestRequest, number, string]>([
      ['blanks', typed('application/json', ' '), 400, 'MALFORMED_JSON'],
      ['null', typed('application/json', 'null'), 400, 'MALFORMED_JSON'],
      ['a form', typed('application/x-www-form-urlencoded', 'reason=x'), 415, 'MEDIA_TYPE_NOT_SUPPORTED'],
      ['JSON without its type', cancelRequest((request) => (request.payload = '{}')), 415, 'MEDIA_TYPE_NOT_SUPPORTED'],
      [
        'a signature over another body',
        cancelRequest((request) => {
          request.headers['x-timestamp'] = NOW;
          request.payload = '{}';
          sign(request);
          delete request.payload;
        }),
        401,
        'SIGNATURE_INVALID',
      ],
    ])('are not taken as %s', async (_name, request, status, code) => {
      expect(await refusal(request)).toEqual([status, code]);
    });

    it('are not left out where something has to be said', async () => {
      const refund = refundRequest();
      delete refund.payload;
      expect(await refusal(refund)).toEqual([400, 'MALFORMED_JSON']);
      delete refund.headers['content-type'];
      expect(await refusal(refund)).toEqual([400, 'MALFORMED_JSON']);
    });
  });

  describe('paths', () => {
    it.each([
      '/api/v2/payments/',
      '/api/v2//payments',
      '//api/v2/payments',
      '/API/v2/payments',
      '/api/v2/Payments',
      '/api/v2/p%61yments',
      '/api/v2%2Fpayments',
      '/%61pi/v2/payments',
      '/api/v2/payments%00',
      '/api/v2/payments;x=1',
      '/api/v2/payments%',
      '/api/v3/payments',
      '/favicon.ico',
    ])('%s is no way to payments', async (url) => {
      expect(await refusal(createRequest((request) => (request.url = url)))).toEqual([404, 'ROUTE_NOT_FOUND']);
    });

    it.each([
      `/api/v2/payments/${PAYMENT_ID}/`,
      `/api/v2/payments/pay_%50`,
      `/api/v2/payments//`,
      `/api/v2/payments/a/b/c`,
      `/metrics/`,
      `/health`,
    ])('%s is no path', async (url) => {
      expect(await refusal(getRequest(url))).toEqual([404, 'ROUTE_NOT_FOUND']);
    });

    it.each(['GET', 'HEAD'] as const)('%s / leads to the documentation', async (method) => {
      const answer = await http.app.inject({ method, url: '/' });
      expect([answer.statusCode, answer.headers.location]).toEqual([302, '/docs']);
      expect((await http.app.inject({ url: '/docs' })).statusCode).toBe(200);
    });

    it.each<[TestRequest['method'], string, string]>([
      ['PUT', '/api/v2/payments', 'GET, HEAD, POST'],
      ['OPTIONS', '/api/v2/payments', 'GET, HEAD, POST'],
      ['GET', '/api/v2/payments/batch-query', 'POST'],
      ['HEAD', '/api/v2/payments/batch-query', 'POST'],
      ['POST', `/api/v2/payments/${PAYMENT_ID}`, 'GET, HEAD'],
      ['DELETE', `/api/v2/payments/${PAYMENT_ID}`, 'GET, HEAD'],
      ['PUT', `/api/v2/payments/${PAYMENT_ID}/refunds`, 'GET, HEAD, POST'],
      ['GET', `/api/v2/payments/${PAYMENT_ID}/capture`, 'POST'],
      ['GET', '/admin/v1/webhook-deliveries/redeliver', 'POST'],
      ['PATCH', '/api/v2/refunds/x', 'GET, HEAD'],
      ['PUT', '/admin/v1/merchants', 'GET, HEAD, POST'],
      ['POST', '/health/live', 'GET, HEAD'],
      ['OPTIONS', '/metrics', 'GET, HEAD'],
      ['POST', '/', 'GET, HEAD'],
    ])('%s %s: use %s', async (method, url, allow) => {
      const answer = await http.app.inject({ ...getRequest(url), method });
      expect([answer.statusCode, answer.headers['allow']]).toEqual([405, allow]);
      if (method !== 'HEAD') expect(answer.json().error.code).toBe('METHOD_NOT_ALLOWED');
      expect(http.behaviour.asked).toEqual([]);
    });
  });
});
