import type { AddressInfo } from 'node:net';
import { ContentionError, EventStoreUnavailableError, ReadStoreUnavailableError } from '@app/event-sourcing';
import { OVER_AFTER_MS } from '@app/platform/telemetry';
import { Body, Controller, Get, Module, Param, Post } from '@nestjs/common';
import { ERROR_CATALOGUE } from '@app/platform/http/errors/catalogue';
import { type HttpFixture, MERCHANT_TOKEN, OPERATOR_TOKEN, PAYMENT_ID, startHttp } from './testing/http-fixture';
import { sendRaw, type RawAnswer } from './testing/raw-http';
import { createRequest, getRequest } from './testing/requests';

@Controller('pages')
class PagesController {
  @Get(':token')
  show(@Param('token') token: string): string {
    return `<p>${token}</p>`;
  }

  @Post(':token')
  answer(@Body() body: unknown): string {
    return Buffer.isBuffer(body) ? body.toString() : typeof body;
  }
}

@Module({ controllers: [PagesController] })
class Pages {}

describe('the HTTP server', () => {
  let http: HttpFixture;
  let port: number;
  beforeAll(async () => {
    http = await startHttp([Pages], ['/pages/:token']);
    await http.app.listen(0, '127.0.0.1');
    port = (http.app.getHttpServer().address() as AddressInfo).port;
  });
  beforeEach(() => {
    http.behaviour.asked.length = 0;
    http.logger.records.length = 0;
  });
  afterAll(() => http.app.close());

  const lines = (...head: string[]) => [...head, 'Connection: close', '', ''].join('\r\n');
  const auth = `Authorization: Bearer ${MERCHANT_TOKEN}`;
  const read = `GET /api/v2/payments/${PAYMENT_ID} HTTP/1.1`;
  const batch = 'POST /api/v2/payments/batch-query HTTP/1.1';
  const codeOf = ({ body }: RawAnswer): string => {
    const { error, ...rest } = JSON.parse(body);
    expect([Object.keys(error).sort(), rest]).toEqual([['code', 'message', 'requestId'], {}]);
    return error.code;
  };

  describe('over a real connection', () => {
    it('answers', async () => {
      const answer = await sendRaw(port, lines(read, 'Host: x', auth, 'X-Request-ID: r-1'));
      expect(answer.status).toBe(200);
      expect(answer.headers).toMatchObject({ 'x-request-id': 'r-1', 'cache-control': 'private, max-age=5' });
    });

    it.each([
      ['Authorization', [auth, auth], 401, 'UNAUTHENTICATED'],
      ['Authorization, the second one unknown', [auth, 'authorization: Bearer x'], 401, 'UNAUTHENTICATED'],
      ['X-Merchant-ID', [auth, 'X-Merchant-ID: mer_demo', 'x-merchant-id: mer_demo'], 403, 'MERCHANT_MISMATCH'],
      ['X-Request-ID', [auth, 'X-Request-ID: a', 'X-Request-ID: a'], 400, 'REQUEST_ID_INVALID'],
      [
        'X-Timestamp',
        [auth, 'X-Timestamp: 2030-01-01T00:00:00Z', 'X-Timestamp: 2030-01-01T00:00:00Z'],
        401,
        'TIMESTAMP_OUT_OF_RANGE',
      ],
    ])('refuses a repeated %s', async (_name, headers, status, code) => {
      const answer = await sendRaw(port, lines(read, 'Host: x', ...headers));
      expect([answer.status, codeOf(answer)]).toEqual([status, code]);
      expect(http.behaviour.asked).toEqual([]);
    });

    it('refuses repeated headers of a create', async () => {
      const { headers, payload } = createRequest();
      const create = (...more: string[]) => {
        const given = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
        const length = `Content-Length: ${Buffer.byteLength(payload!)}`;
        const head = lines('POST /api/v2/payments HTTP/1.1', 'Host: x', ...given, length, ...more);
        return sendRaw(port, head + String(payload));
      };
      expect((await create()).status).toBe(201);
      const repeated = async (name: string) => codeOf(await create(`${name}: ${headers[name.toLowerCase()]}`));
      expect(await repeated('Content-Type')).toBe('MEDIA_TYPE_NOT_SUPPORTED');
      expect(await repeated('X-Signature')).toBe('SIGNATURE_INVALID');
      // The signature no longer covers the header as it arrives.
      expect(await repeated('Idempotency-Key')).toBe('SIGNATURE_INVALID');
    });

    it.each([
      ['a dot segment', 'GET /api/v2/./payments/x HTTP/1.1', 404, 'ROUTE_NOT_FOUND'],
      ['two dots', 'GET /api/v2/refunds/../payments/x HTTP/1.1', 404, 'ROUTE_NOT_FOUND'],
      ['a target that is no path', 'GET *api HTTP/1.1', 404, 'ROUTE_NOT_FOUND'],
      ['OPTIONS *', 'OPTIONS * HTTP/1.1', 404, 'ROUTE_NOT_FOUND'],
      ['a backslash', 'GET /api\\v2/payments/x HTTP/1.1', 404, 'ROUTE_NOT_FOUND'],
      ['an unusual method', `PROPFIND /api/v2/payments/${PAYMENT_ID} HTTP/1.1`, 405, 'METHOD_NOT_ALLOWED'],
      ['TRACE', 'TRACE /health/live HTTP/1.1', 405, 'METHOD_NOT_ALLOWED'],
    ])('refuses %s', async (_name, requestLine, status, code) => {
      const answer = await sendRaw(port, lines(requestLine, 'Host: x', auth, 'X-Request-ID: r-1'));
      expect([answer.status, codeOf(answer), answer.headers['x-request-id']]).toEqual([status, code, 'r-1']);
    });

    it.each([
      ['no HTTP', 'hello\r\n\r\n', 400, 'MALFORMED_REQUEST'],
      ['no Host', lines(read, auth), 400, 'MALFORMED_REQUEST'],
      [
        'two lengths',
        lines(batch, 'Host: x', auth, 'Content-Length: 1', 'Content-Length: 2'),
        400,
        'MALFORMED_REQUEST',
      ],
      [
        'a length and chunks',
        lines(batch, 'Host: x', auth, 'Content-Length: 1', 'Transfer-Encoding: chunked'),
        400,
        'MALFORMED_REQUEST',
      ],
      ['a folded header', lines(read, 'Host: x', 'X-A: b\r\n c', auth, 'Bad Header: x'), 400, 'MALFORMED_REQUEST'],
      ['endless headers', lines(read, 'Host: x', `X-A: ${'a'.repeat(20_000)}`), 431, 'HEADERS_TOO_LARGE'],
    ])('answers %s in the same shape', async (_name, text, status, code) => {
      const answer = await sendRaw(port, text);
      expect([answer.status, codeOf(answer)]).toEqual([status, code]);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(answer.headers['x-request-id']).toBe(JSON.parse(answer.body).error.requestId);
    });

    it('reads no more than 256 KiB of a body of unknown length', async () => {
      const chunk = 'a'.repeat(64 * 1024);
      const chunks = `10000\r\n${chunk}\r\n`.repeat(5);
      const answer = await sendRaw(
        port,
        `${lines(batch, 'Host: x', auth, 'Content-Type: application/json', 'Transfer-Encoding: chunked')}${chunks}0\r\n\r\n`,
      );
      expect([answer.status, codeOf(answer)]).toEqual([413, 'BODY_TOO_LARGE']);
    });
  });

  describe('failures', () => {
    const failing = async (error: unknown) => {
      http.behaviour.getPayment = () => {
        throw error;
      };
      return http.app.inject(getRequest());
    };

    it.each([
      [new EventStoreUnavailableError('10.0.0.7 refused'), 503, 'EVENT_STORE_UNAVAILABLE'],
      [new ReadStoreUnavailableError('10.0.0.8 refused'), 503, 'BUSY'],
      [new ContentionError('payment-x', 'races lost: 9'), 503, 'BUSY'],
      [new Error('secret detail'), 500, 'INTERNAL_ERROR'],
      [Object.assign(new Error('secret detail'), { statusCode: 400, code: 'X' }), 500, 'INTERNAL_ERROR'],
      ['secret detail', 500, 'INTERNAL_ERROR'],
      [null, 500, 'INTERNAL_ERROR'],
    ])('%p', async (error, status, code) => {
      const answer = await failing(error);
      expect([answer.statusCode, answer.json().error.code]).toEqual([status, code]);
      expect(answer.json().error).toEqual({
        code,
        message: ERROR_CATALOGUE[code as 'BUSY'].message,
        requestId: 'req-1',
      });
      expect('retry-after' in answer.headers).toBe(status === 503);
      const logged = http.logger.records.filter(({ message }) => message !== 'request');
      expect(logged).toHaveLength(1);
      expect(logged[0]).toMatchObject({
        level: status === 500 ? 'error' : 'warn',
        fields: { requestId: 'req-1', code },
        // For an unavailable store the error's cause is enough.
        ...(status === 500 ? { cause: error } : { cause: undefined }),
      });
    });
  });

  it('tells of an outage in a line for each request, and of the outage in two', async () => {
    // Failures that other specs have caused are over.
    await http.clock.advance(OVER_AFTER_MS);
    await http.app.inject({ url: '/health/live' });
    http.logger.records.length = 0;
    http.behaviour.getPayment = () => {
      throw new EventStoreUnavailableError('10.0.0.7 refused', { cause: new Error('ECONNREFUSED') });
    };
    for (let request = 0; request < 200; request += 1) await http.app.inject(getRequest());
    await http.clock.advance(OVER_AFTER_MS);
    await http.app.inject({ url: '/health/live' });
    const { records } = http.logger;
    const requests = records.filter(({ message }) => message === 'request');
    expect(requests.filter(({ fields }) => fields['code'] === 'EVENT_STORE_UNAVAILABLE')).toHaveLength(200);
    const others = records.filter(({ message }) => message !== 'request');
    expect(others.map(({ level, message }) => [level, message])).toEqual([
      ['warn', 'requests are refused'],
      ['info', 'over: requests are refused'],
    ]);
    expect(others[0]).toMatchObject({
      fields: { reason: expect.stringContaining('10.0.0.7 refused') },
      cause: undefined,
    });
    expect(others[1]).toMatchObject({ fields: { times: 200 } });
  });

  describe('operations', () => {
    const build = { version: 'unknown', commit: 'unknown' };

    it('lives', async () => {
      const answer = await http.app.inject({ url: '/health/live' });
      expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'live', ...build }]);
    });

    it('is ready, or says why not', async () => {
      const ready = await http.app.inject({ url: '/health/ready' });
      expect([ready.statusCode, ready.json()]).toEqual([200, { status: 'ready', reasons: [], ...build }]);
      let reason: string | null = 'away';
      http.health.register({ name: 'store', check: () => reason });
      const away = await http.app.inject({ url: '/health/ready' });
      expect([away.statusCode, away.json()]).toEqual([
        503,
        { status: 'not ready', reasons: [{ name: 'store', reason }], ...build },
      ]);
      reason = null;
    });

    it('is measured by route', async () => {
      await http.app.inject(getRequest('/api/v2/refunds/x'));
      const answer = await http.app.inject({ url: '/metrics' });
      expect(answer.statusCode).toBe(200);
      expect(answer.headers['content-type']).toMatch(/^text\/plain; version=/);
      expect(answer.body).toMatch(/route="\/api\/v2\/refunds\/:refundId",status="404"/);
    });
  });

  describe('the operator API', () => {
    const register = (token: string, payload: unknown) =>
      http.app.inject({
        method: 'POST',
        url: '/admin/v1/merchants',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'x-request-id': 'req-1' },
        payload: JSON.stringify(payload),
      });

    it('registers a merchant and shows its credentials', async () => {
      const answer = await register(OPERATOR_TOKEN, { merchantId: 'mer_x', name: 'Shop' });
      expect([answer.statusCode, answer.headers['cache-control']]).toEqual([201, 'no-store']);
      expect(answer.json()).toEqual({
        merchantId: 'mer_x',
        name: 'Shop',
        note: expect.stringContaining('every scope'),
        accessToken: 'cft_x',
        signingSecret: 'cfs_x',
        webhookSecret: 'whsec_x',
      });
      const context = { correlationId: 'req-1', causationId: null, actor: 'operator' };
      expect(http.behaviour.asked).toMatchObject([{ context, request: { merchantId: 'mer_x', name: 'Shop' } }]);
    });

    it('refuses a merchant that exists', async () => {
      http.behaviour.registerMerchant = () => ({ kind: 'refused', code: 'MERCHANT_EXISTS' });
      const answer = await register(OPERATOR_TOKEN, { name: 'Shop' });
      expect([answer.statusCode, answer.json().error.code]).toEqual([409, 'MERCHANT_EXISTS']);
    });

    it.each([MERCHANT_TOKEN, `${OPERATOR_TOKEN}x`, OPERATOR_TOKEN.toUpperCase(), 'x'])(
      'is not opened by %s',
      async (token) => {
        const answer = await register(token, { name: 'Shop' });
        expect([answer.statusCode, answer.json().error.code]).toEqual([401, 'UNAUTHENTICATED']);
        expect(http.behaviour.asked).toEqual([]);
      },
    );

    it('judges the body', async () => {
      expect((await register(OPERATOR_TOKEN, { name: 'Shop', merchantId: 'a b' })).json().error).toMatchObject({
        code: 'VALIDATION_FAILED',
        details: [{ field: 'merchantId', code: 'INVALID_FORMAT' }],
      });
    });
  });

  describe('pages for customers', () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };

    it('need no token, and get their forms as bytes', async () => {
      expect((await http.app.inject({ url: '/pages/abc' })).body).toBe('<p>abc</p>');
      const answer = await http.app.inject({
        method: 'POST',
        url: '/pages/abc',
        headers: form,
        payload: 'decision=approve',
      });
      expect([answer.statusCode, answer.body]).toEqual([201, 'decision=approve']);
    });

    it('have a limit and take nothing but forms', async () => {
      const tooLarge = await http.app.inject({
        method: 'POST',
        url: '/pages/abc',
        headers: form,
        payload: 'x'.repeat(5000),
      });
      expect(tooLarge.statusCode).toBe(413);
      const other = await http.app.inject({
        method: 'POST',
        url: '/pages/abc',
        headers: { 'content-type': 'text/plain' },
        payload: 'x',
      });
      expect([other.statusCode, other.json().error.code]).toEqual([415, 'MEDIA_TYPE_NOT_SUPPORTED']);
    });
  });

  it('does not start with a route that says not who may use it', async () => {
    await expect(startHttp([Pages])).rejects.toThrow('The route GET /pages/:token says not who may use it');
  });
});
