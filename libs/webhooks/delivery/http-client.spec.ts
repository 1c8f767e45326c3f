import { AllowedCidrs } from './cidr';
import { cleanUp, rawReceiver, receiver, resolverGiving, setUp } from '@app/webhooks/testing/deliveries';

afterEach(cleanUp);

describe('a delivery', () => {
  it('posts the body and the headers to the path and query, under the name of the URL', async () => {
    const { port, requests } = await receiver((_request, response) => response.writeHead(204).end());
    const { deliver } = setUp();
    const body = Buffer.from('{"text":"Grüße"}');
    const attempt = await deliver(`http://receiver.example:${port}/hooks/in?a=b&c#fragment`, {
      body,
      headers: { 'Content-Type': 'application/json', 'X-Webhook-ID': 'whd_1' },
    });
    expect(attempt).toEqual({ kind: 'response', status: 204, beginning: null, retryAfterMs: null, durationMs: 0 });
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ method: 'POST', url: '/hooks/in?a=b&c', body: '{"text":"Grüße"}' });
    expect(requests[0]?.headers).toEqual({
      host: `receiver.example:${port}`,
      connection: 'close',
      'content-type': 'application/json',
      'x-webhook-id': 'whd_1',
      'user-agent': 'Counterfoil-Webhooks/1',
      'content-length': String(body.byteLength),
    });
  });

  it.each([200, 201, 301, 400, 404, 410, 429, 500, 503])('says the status: %d', async (status) => {
    const { port } = await receiver((_request, response) => response.writeHead(status).end('{}'));
    expect(await setUp().deliver(`http://127.0.0.1:${port}/`)).toMatchObject({ kind: 'response', status });
  });

  it.each([
    ['100 Continue, which nobody asked for', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(3)],
    ['102 Processing', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['103 Early Hints', 'HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n'],
  ])('waits for the answer that comes after %s', async (_what, interim) => {
    for (const end of ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', 'HTTP/1.1 204 No Content\r\n\r\n']) {
      const { port } = await rawReceiver((socket) => {
        socket.once('data', () => {
          socket.write(interim);
          setImmediate(() => socket.end(end));
        });
      });
      const attempt = await setUp().deliver(`http://127.0.0.1:${port}/`);
      expect(attempt).toMatchObject({ kind: 'response', status: Number(end.slice(9, 12)) });
    }
  });

  it('takes an answer that comes before the request, and one of HTTP/1.0 that ends with its connection', async () => {
    const early = await rawReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
    expect(await setUp().deliver(`http://127.0.0.1:${early.port}/`)).toMatchObject({ kind: 'response', status: 200 });
    const old = await rawReceiver((socket) => socket.once('data', () => socket.end('HTTP/1.0 202 OK\r\n\r\nabc')));
    expect(await setUp().deliver(`http://127.0.0.1:${old.port}/`)).toMatchObject({ kind: 'response', status: 202 });
  });

  it('reads Retry-After by the clock, and not when it came twice', async () => {
    const answers = ['30', 'Thu, 15 Jan 2026 12:01:00 GMT', ['1', '2']];
    const { port } = await receiver((_request, response) => {
      response.writeHead(503, { 'Retry-After': answers.shift() ?? '' }).end();
    });
    const { deliver } = setUp();
    const got = [];
    for (let i = 0; i < 3; i += 1) got.push(await deliver(`http://127.0.0.1:${port}/`));
    expect(got).toMatchObject([{ retryAfterMs: 30_000 }, { retryAfterMs: 60_000 }, { retryAfterMs: null }]);
  });

  it('keeps the beginning of an answer that is no success', async () => {
    const { port } = await receiver((request, response) => {
      response.writeHead(request.url === '/fine' ? 200 : 503, { 'Content-Type': 'text/html' });
      response.end(`<h1>Down</h1>\n${'x'.repeat(40_000)}`);
    });
    const { deliver } = setUp();
    expect(await deliver(`http://127.0.0.1:${port}/fine`)).toMatchObject({ status: 200, beginning: null });
    const failed = await deliver(`http://127.0.0.1:${port}/`);
    expect(failed).toMatchObject({ status: 503, beginning: `<h1>Down</h1>␊${'x'.repeat(986)}` });
  });

  it('leaves no connection open, and resolves and connects anew for the next one', async () => {
    const server = await receiver((_request, response) => response.end('ok'));
    const { resolve, asked } = resolverGiving(['127.0.0.1']);
    const { deliver, clock } = setUp({ resolve });
    for (let i = 0; i < 3; i += 1) await deliver(`http://receiver.example:${server.port}/`);
    await server.allClosed();
    expect(server.connections).toBe(3);
    expect(asked).toHaveLength(3);
    expect(clock.pendingDeadlines).toBe(0);
  });

  it('has no use for the proxies of the environment', async () => {
    const proxy = await receiver((_request, response) => response.end());
    const server = await receiver((_request, response) => response.end());
    const before = { ...process.env };
    const url = `http://127.0.0.1:${proxy.port}`;
    Object.assign(process.env, { HTTP_PROXY: url, http_proxy: url, ALL_PROXY: url, NODE_USE_ENV_PROXY: '1' });
    try {
      expect(await setUp().deliver(`http://receiver.example:${server.port}/`)).toMatchObject({ status: 200 });
    } finally {
      process.env = before;
    }
    expect(proxy.connections).toBe(0);
  });

  it('never follows a redirect', async () => {
    const target = await receiver((_request, response) => response.end());
    const { port, requests } = await receiver((request, response) => {
      const location = request.url === '/in' ? 'http://10.0.0.1/' : `http://127.0.0.1:${target.port}/`;
      response.writeHead(307, { Location: location }).end();
    });
    const { deliver } = setUp();
    expect(await deliver(`http://127.0.0.1:${port}/in`)).toMatchObject({ kind: 'response', status: 307 });
    expect(await deliver(`http://127.0.0.1:${port}/out`)).toMatchObject({ kind: 'response', status: 307 });
    expect(requests).toHaveLength(2);
    expect(target.connections).toBe(0);
  });
});

describe('addresses', () => {
  it('a name that changes its answer is asked once, and only the judged address is dialled', async () => {
    const vetted = await receiver((_request, response) => response.end());
    const rebound = await receiver((_request, response) => response.end(), { host: '127.0.0.2', port: vetted.port });
    const { resolve, asked } = resolverGiving(['127.0.0.1'], ['127.0.0.2']);
    const { deliver } = setUp({ resolve, allowed: AllowedCidrs.parse('127.0.0.1') });
    const url = `http://rebinding.example:${vetted.port}/`;
    expect(await deliver(url)).toMatchObject({ kind: 'response', status: 200 });
    expect(asked).toEqual(['rebinding.example']);
    expect(await deliver(url)).toMatchObject({ kind: 'refused', stage: 'address', code: 'ADDRESS_BLOCKED' });
    expect(vetted.connections).toBe(1);
    expect(rebound.connections).toBe(0);
  });

  it.each([
    ['10.0.0.5', 'private'],
    ['169.254.169.254', 'cloud metadata'],
    ['::ffff:127.0.0.1', 'IPv4-mapped or -compatible'],
    ['fe80::1%lo', 'link-local'],
    ['8.8.8.8', 'http outside the allowed networks'],
    ['garbage', 'not an address'],
  ])('one blocked answer among allowed ones refuses all, before any is dialled: %s', async (blocked, reason) => {
    const server = await receiver((_request, response) => response.end());
    for (const answers of [
      [blocked],
      ['127.0.0.1', blocked],
      ['127.0.0.1', '127.0.0.1', '::1', '127.0.0.1', blocked],
    ]) {
      const { deliver } = setUp(resolverGiving(answers));
      const attempt = await deliver(`http://mixed.example:${server.port}/`);
      expect(attempt).toMatchObject({ kind: 'refused', stage: 'address', code: 'ADDRESS_BLOCKED' });
      const { message } = attempt as { message: string };
      expect(message).toContain(reason);
      expect(message).not.toContain(blocked);
    }
    expect(server.connections).toBe(0);
  });

  it('judges https answers too', async () => {
    const { deliver } = setUp({ ...resolverGiving(['8.8.8.8', '192.168.0.1']), allowed: AllowedCidrs.none });
    expect(await deliver('https://mixed.example/')).toMatchObject({ kind: 'refused', stage: 'address' });
  });

  it.each(['http://10.0.0.1/', 'https://[::ffff:7f00:1]/', 'https://2852039166/', 'http://8.8.8.8/'])(
    'judges literals without a lookup: %s',
    async (url) => {
      const { resolve, asked } = resolverGiving(['127.0.0.1']);
      expect(await setUp({ resolve }).deliver(url)).toMatchObject({ kind: 'refused', stage: 'address' });
      expect(asked).toEqual([]);
    },
  );

  it.each([
    ['ftp://example.com/', 'SCHEME_NOT_ALLOWED'],
    ['http://user:pass@example.com/', 'CREDENTIALS_IN_URL'],
    ['http://example.com:0/', 'PORT_NOT_ALLOWED'],
    ['nonsense', 'URL_MALFORMED'],
  ])('refuses the URL %s', async (url, code) => {
    expect(await setUp().deliver(url)).toMatchObject({ kind: 'refused', stage: 'url', code });
  });

  it('refuses http once no network is allowed any more', async () => {
    const { deliver } = setUp({ allowed: AllowedCidrs.none });
    expect(await deliver('http://example.com/')).toMatchObject({ kind: 'refused', code: 'SCHEME_NOT_ALLOWED' });
  });

  it('knows localhost without a lookup', async () => {
    const server = await receiver((_request, response) => response.end());
    const { resolve, asked } = resolverGiving(['10.0.0.1']);
    for (const allowed of [AllowedCidrs.loopback, AllowedCidrs.parse('127.0.0.0/8')]) {
      const { deliver } = setUp({ resolve, allowed });
      expect(await deliver(`http://hooks.localhost:${server.port}/`)).toMatchObject({ status: 200 });
    }
    expect(asked).toEqual([]);
    expect(await setUp({ allowed: AllowedCidrs.parse('10.0.0.0/8') }).deliver('http://localhost/')).toMatchObject({
      kind: 'refused',
      stage: 'address',
    });
  });

  it('tries the next judged address when the first takes no connection', async () => {
    const server = await receiver((_request, response) => response.end());
    const { deliver } = setUp(resolverGiving(['127.0.0.3', '127.0.0.1']));
    expect(await deliver(`http://two.example:${server.port}/`)).toMatchObject({ status: 200 });
  });
});

describe('headers', () => {
  it.each([
    { 'X-A': 'a\r\nX-Evil: 1' },
    { 'X-A': 'a\nb' },
    { 'X-A': 'a\0b' },
    { 'X-A': 'ü' },
    { 'X-A': ' a' },
    { 'X-A\r\nX-Evil': 'a' },
    { 'X A': 'a' },
    { '': 'a' },
    { Host: 'other.example' },
    { 'content-length': '1' },
    { 'Transfer-Encoding': 'chunked' },
    { Connection: 'keep-alive' },
    { 'User-Agent': 'other' },
  ])('that could change the request are refused: %j', async (headers) => {
    const server = await receiver((_request, response) => response.end());
    expect(await setUp().deliver(`http://127.0.0.1:${server.port}/`, { headers })).toMatchObject({
      kind: 'refused',
      stage: 'headers',
      code: 'HEADER_INVALID',
    });
    expect(server.connections).toBe(0);
  });
});
