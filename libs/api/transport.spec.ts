import type { AddressInfo } from 'node:net';
import { type HttpFixture, MERCHANT_TOKEN, PAYMENT_ID, startHttp } from './testing/http-fixture';
import { sendRaw, type RawAnswer } from './testing/raw-http';
import { createRequest, sign } from './testing/requests';

/** Requests that are valid HTTP, but that no normal client sends. */
describe('at the edges of HTTP', () => {
  let http: HttpFixture;
  let port: number;
  beforeAll(async () => {
    http = await startHttp();
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
  const codeOf = ({ body }: RawAnswer): string => JSON.parse(body).error.code;

  it.each([
    ['two Hosts', lines(read, 'Host: x', 'Host: x', auth), 400, 'MALFORMED_REQUEST'],
    [
      'a compressed transfer',
      `${lines(batch, 'Host: x', auth, 'Content-Type: application/json', 'Transfer-Encoding: gzip, chunked')}0\r\n\r\n`,
      400,
      'MALFORMED_REQUEST',
    ],
    ['a transfer that is none', lines(batch, 'Host: x', auth, 'Transfer-Encoding: identity'), 400, 'MALFORMED_REQUEST'],
    [
      'an expectation',
      lines(batch, 'Host: x', auth, 'Expect: miracles', 'Content-Length: 2'),
      417,
      'EXPECTATION_FAILED',
    ],
    [
      'an expectation beside 100-continue',
      lines(read, 'Host: x', auth, 'Expect: 100-continue, miracles'),
      417,
      'EXPECTATION_FAILED',
    ],
    ['CONNECT to another host', lines('CONNECT shop.example:443 HTTP/1.1', 'Host: x'), 404, 'ROUTE_NOT_FOUND'],
    ['CONNECT to a path', lines('CONNECT /api/v2/payments HTTP/1.1', 'Host: x'), 405, 'METHOD_NOT_ALLOWED'],
  ])('answers %s in the shape of every error, once', async (_name, text, status, code) => {
    const answer = await sendRaw(port, text);
    expect([answer.status, codeOf(answer)]).toEqual([status, code]);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['x-request-id']).toBe(JSON.parse(answer.body).error.requestId);
    expect(answer.headers['connection']).toBe('close');
    expect(http.behaviour.asked).toEqual([]);
  });

  describe('an absolute target', () => {
    const path = `/api/v2/payments/${PAYMENT_ID}`;
    const get = (target: string, ...headers: string[]) => {
      return sendRaw(port, lines(`GET ${target} HTTP/1.1`, 'Host: x', ...headers));
    };
    const create = (target: string, signedUrl: string) => {
      const { headers, payload } = sign(createRequest((request) => (request.url = signedUrl)));
      const given = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      const length = `Content-Length: ${Buffer.byteLength(payload!)}`;
      return sendRaw(port, lines(`POST ${target} HTTP/1.1`, 'Host: x', ...given, length) + String(payload));
    };

    it.each(['http://x', 'HTTP://Shop.example:8080', 'http://127.0.0.1:3000', 'http://[::1]:3000', 'http://x:'])(
      'of %s is answered and told of like its path',
      async (origin) => {
        expect((await get(`${origin}${path}?x=http://y/`, auth)).status).toBe(200);
        expect(http.logger.records.at(-1)!.fields['path']).toBe('/api/v2/payments/:paymentId');
        expect((await get(`${origin}/metrics`)).status).toBe(200);
      },
    );

    it('without a path is the root', async () => {
      for (const target of ['http://x', 'http://x/', 'http://x?y']) {
        const answer = await get(target);
        expect([answer.status, answer.headers['location']]).toEqual([302, '/docs']);
      }
    });

    it('is signed by its path with its query', async () => {
      const url = '/api/v2/payments?x=1';
      expect((await create(`http://x${url}`, url)).status).toBe(201);
      const answer = await create(`http://x${url}`, `http://x${url}`);
      expect([answer.status, codeOf(answer)]).toEqual([401, 'SIGNATURE_INVALID']);
    });

    it('needs a token like any other, in whatever spelling', async () => {
      const answer = await get(`http://x${path}`);
      expect([answer.status, codeOf(answer)]).toEqual([401, 'UNAUTHENTICATED']);
      const aliases = ['/API/v2/payments', '//api/v2/payments', '/api/v2/payments/', '/api/./v2/payments', '/%61pi/v2'];
      for (const alias of [...aliases, '/http://x/api/v2/payments']) {
        for (const headers of [[], [auth]]) {
          const refused = await get(`http://x${alias}`, ...headers);
          expect([refused.status, codeOf(refused)]).toEqual([404, 'ROUTE_NOT_FOUND']);
        }
      }
      expect(http.behaviour.asked).toEqual([]);
    });

    it.each([
      `https://x${path}`,
      `ftp://x${path}`,
      `http://me@x${path}`,
      `http://me:secret@x${path}`,
      `http://@x${path}`,
      `http://x${path}#part`,
      `http://x#${path}`,
      `http://${path}`,
      `http:${path}`,
      `http:x${path}`,
      `http://x:99999${path}`,
      `http://x:y${path}`,
      `http://[::1${path}`,
      'https://x',
    ])('is malformed as %s', async (target) => {
      const answer = await get(target, auth);
      expect([answer.status, codeOf(answer)]).toEqual([400, 'MALFORMED_REQUEST']);
      expect(http.behaviour.asked).toEqual([]);
      expect(JSON.stringify([answer.body, http.logger.records])).not.toMatch(/secret|me@|part/);
    });

    it('does not make up for a missing Host', async () => {
      const answer = await sendRaw(port, lines(`GET http://x${path} HTTP/1.1`, auth));
      expect([answer.status, codeOf(answer)]).toEqual([400, 'MALFORMED_REQUEST']);
    });
  });

  it('answers nothing more on a connection whose framing is in doubt', async () => {
    const keptAlive = `${batch}\r\nHost: x\r\n${auth}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`;
    const answer = await sendRaw(port, keptAlive + lines(read, 'Host: x', auth));
    expect([answer.status, codeOf(answer), answer.headers['connection']]).toEqual([400, 'MALFORMED_REQUEST', 'close']);
  });

  it('goes on for a client that waits for 100 Continue', async () => {
    const body = JSON.stringify({ paymentIds: [PAYMENT_ID] });
    const length = `Content-Length: ${body.length}`;
    const headers = ['Host: x', auth, 'Content-Type: application/json', length, 'expect: 100-Continue'];
    const answer = await sendRaw(port, lines(batch, ...headers) + body);
    expect([answer.status, answer.body]).toEqual([100, expect.stringMatching(/^HTTP\/1\.1 200 OK\r\n/)]);
  });

  it.each([
    ['an expectation', [batch, 'Expect: miracles', 'Content-Length: 0'], 417, '/api/v2/payments/batch-query'],
    ['CONNECT', ['CONNECT shop.example:443 HTTP/1.1'], 404, 'unknown'],
  ])('tells of %s like of any other request', async (_name, [requestLine = '', ...headers], status, path) => {
    const answer = await sendRaw(port, lines(requestLine, 'Host: x', auth, 'X-Request-ID: r-1', ...headers));
    expect([answer.status, answer.headers['x-request-id']]).toEqual([status, 'r-1']);
    expect(http.logger.records).toMatchObject([{ message: 'request', fields: { requestId: 'r-1', status, path } }]);
    const { body } = await http.app.inject({ url: '/metrics' });
    const [method] = requestLine.split(' ');
    expect(body).toContain(`method="${method}",route="${path}",status="${status}"`);
  });

  it('never repeats a card number that came as X-Request-ID', async () => {
    for (const id of ['4111111111111111', 'order-4111-1111-1111-1111-a', '4111%201111%201111%201111']) {
      for (const requestLine of [read, 'CONNECT x:1 HTTP/1.1', 'GET /nowhere HTTP/1.1']) {
        const answer = await sendRaw(port, lines(requestLine, 'Host: x', auth, `X-Request-ID: ${id}`));
        expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
        expect(JSON.stringify([answer, http.logger.records])).not.toContain('1111');
        if (requestLine === read) expect([answer.status, codeOf(answer)]).toEqual([400, 'REQUEST_ID_INVALID']);
      }
    }
    expect(http.behaviour.asked).toEqual([]);
  });
});
