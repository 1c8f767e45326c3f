import type { AddressInfo } from 'node:net';
import { type HttpFixture, MERCHANT_TOKEN, PAYMENT_ID, startHttp } from './testing/http-fixture';
import { sendRaw, type RawAnswer } from './testing/raw-http';

/** Requests that are valid HTTP, and still not what anybody should send. */
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
