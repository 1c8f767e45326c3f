import { once } from 'node:events';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import type { ResolveHost } from './resolver';
import { cleanups, cleanUp, rawReceiver, receiver, resolverGiving, setUp } from '@app/webhooks/testing/deliveries';
import { startReceiver } from '@app/webhooks/testing/receiver';

afterEach(cleanUp);

describe('failures', () => {
  it('a name that cannot be resolved', async () => {
    const failing: ResolveHost = () => Promise.reject(Object.assign(new Error('no'), { code: 'ESERVFAIL' }));
    const expected = { kind: 'failed', stage: 'resolve' };
    expect(await setUp({ resolve: failing }).deliver('https://a.example/')).toMatchObject({
      ...expected,
      code: 'DNS_FAILED',
      cause: 'ESERVFAIL',
    });
    expect(await setUp(resolverGiving([])).deliver('https://a.example/')).toMatchObject({
      ...expected,
      code: 'DNS_NOT_FOUND',
    });
  });

  it('a port that nobody listens on', async () => {
    const server = await startReceiver(() => undefined);
    await server.close();
    const attempt = await setUp().deliver(`http://closed.example:${server.port}/`);
    expect(attempt).toMatchObject({ kind: 'failed', stage: 'connect', code: 'CONNECTION_REFUSED' });
    expect((attempt as { message: string }).message).not.toContain('127.0.0.1');
  });

  it.each([
    ['closed at once', '', 'CONNECTION_RESET'],
    ['closed within the status line', 'HTTP/1.1 20', 'CONNECTION_RESET'],
    ['closed within the headers', 'HTTP/1.1 200 OK\r\nContent-Le', 'CONNECTION_RESET'],
    ['closed within the body', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc', 'CONNECTION_RESET'],
    ['closed after an interim answer', 'HTTP/1.1 100 Continue\r\n\r\n', 'CONNECTION_RESET'],
    ['not HTTP', 'SSH-2.0-OpenSSH_9.9\r\n', 'RESPONSE_INVALID'],
    ['a broken chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 'RESPONSE_INVALID'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na', 'RESPONSE_INVALID'],
    [
      'more headers than may be read',
      `HTTP/1.1 200 OK\r\n${'X-A: aaaaaaaaaaaaaaaa\r\n'.repeat(1_000)}\r\n`,
      'RESPONSE_INVALID',
    ],
    ['interim answers without end', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(2_000), 'RESPONSE_INVALID'],
    [
      'a switch of protocols',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
      'RESPONSE_INVALID',
    ],
  ])('no full answer: %s', async (_what, bytes, code) => {
    const server = await rawReceiver((socket) => socket.once('data', () => socket.end(bytes)));
    const attempt = await setUp().deliver(`http://127.0.0.1:${server.port}/`);
    expect(attempt).toMatchObject({ kind: 'failed', stage: 'response', code });
    await server.allClosed();
  });

  it('a reset', async () => {
    const server = await rawReceiver((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const attempt = await setUp().deliver(`http://127.0.0.1:${server.port}/`);
    expect(attempt).toMatchObject({ kind: 'failed', stage: 'response', code: 'CONNECTION_RESET' });
  });
});

describe('bounds', () => {
  const timeout = { kind: 'failed', stage: 'timeout', code: 'TIMEOUT', durationMs: 15_000 };

  it('DNS that never answers ends with the deadline', async () => {
    let asked: () => void;
    const waiting = new Promise<void>((resolve) => (asked = resolve));
    const resolve: ResolveHost = () => {
      asked();
      return new Promise(() => undefined);
    };
    const { deliver, clock } = setUp({ resolve });
    const attempt = deliver('https://slow-dns.example/');
    await waiting;
    clock.expire(15_000);
    expect(await attempt).toMatchObject({ ...timeout, message: 'No full answer within 15000 ms (not reached).' });
  });

  it('a receiver that never accepts ends with the deadline', async () => {
    // The listener's thread sleeps, so the kernel's queue of one fills up and the next connection gets no answer.
    const source = `const { parentPort } = require('node:worker_threads');
      const server = require('node:net').createServer();
      server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
        parentPort.postMessage(server.address().port);
        setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
      });`;
    const worker = new Worker(source, { eval: true });
    cleanups.push(() => worker.terminate());
    const [port] = (await once(worker, 'message')) as [number];
    for (let i = 0; i < 2; i += 1) {
      const filler = connect(port, '127.0.0.1');
      filler.on('error', () => undefined);
      cleanups.push(async () => filler.destroy());
      await once(filler, 'connect');
    }
    const { deliver, clock } = setUp();
    const attempt = deliver(`http://127.0.0.1:${port}/`);
    for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
    clock.expire(15_000);
    expect(await attempt).toMatchObject({ ...timeout, message: 'No full answer within 15000 ms (not reached).' });
  });

  it('a TLS handshake that never ends', async () => {
    const server = await rawReceiver((socket) => socket.resume());
    const { deliver, clock } = setUp();
    const attempt = deliver(`https://silent.example:${server.port}/`);
    await server.reached(1);
    clock.expire(15_000);
    expect(await attempt).toMatchObject(timeout);
    await server.allClosed();
  });

  it('headers that never come', async () => {
    const server = await receiver(() => undefined);
    const { deliver, clock } = setUp();
    const attempt = deliver(`http://127.0.0.1:${server.port}/`);
    await server.reached(1);
    clock.expire(15_000);
    expect(await attempt).toMatchObject({ ...timeout, message: expect.stringContaining('connected, no answer') });
    await server.allClosed();
    expect(clock.pendingDeadlines).toBe(0);
  });

  it('a body that comes drop by drop', async () => {
    let dripped = 0;
    let enough: () => void;
    const dripping = new Promise<void>((resolve) => (enough = resolve));
    const server = await receiver((_request, response) => {
      response.writeHead(200);
      const drip = setInterval(() => {
        response.write('.');
        dripped += 1;
        if (dripped === 5) enough();
      }, 2);
      response.on('close', () => {
        clearInterval(drip);
      });
    });
    const { deliver, clock } = setUp();
    const attempt = deliver(`http://127.0.0.1:${server.port}/`);
    await dripping;
    clock.expire(15_000);
    expect(await attempt).toMatchObject({ ...timeout, message: expect.stringContaining('15000 ms') });
    await server.allClosed();
  });

  it.each([200, 500])('no more of an endless answer is read than allowed; its status %d counts', async (status) => {
    const server = await receiver((_request, response) => {
      response.writeHead(status);
      const pour = () => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024)));
      };
      response.on('drain', pour);
      pour();
    });
    const attempt = await setUp().deliver(`http://127.0.0.1:${server.port}/`);
    expect(attempt).toMatchObject({ kind: 'response', status });
    await server.allClosed();
  });

  it('the caller can cut it off, before and during', async () => {
    const server = await receiver(() => undefined);
    const { deliver, clock } = setUp();
    const stopping = new AbortController();
    const attempt = deliver(`http://127.0.0.1:${server.port}/`, { signal: stopping.signal });
    await server.reached(1);
    stopping.abort();
    expect(await attempt).toEqual({ kind: 'aborted', durationMs: 0 });
    expect(await deliver(`http://127.0.0.1:${server.port}/`, { signal: stopping.signal })).toMatchObject({
      kind: 'aborted',
    });
    await server.allClosed();
    expect(server.connections).toBe(1);
    expect(clock.pendingDeadlines).toBe(0);
  });
});
