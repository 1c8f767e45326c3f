import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { ManualClock, settle } from '@app/platform/testing';
import { HttpDrain } from './drain';

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function setUp() {
  const clock = new ManualClock();
  const server = createServer();
  const requests: ServerResponse[] = [];
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    requests.push(response);
  });
  const drain = new HttpDrain(server, clock);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  /** Sends the text, and resolves once the server has received it; `received` collects the response. */
  const send = async (text: string) => {
    const connection = { socket: connect(port, '127.0.0.1'), received: '', closed: false };
    sockets.push(connection.socket);
    connection.socket.setEncoding('utf8').on('data', (part: string) => (connection.received += part));
    connection.socket.on('error', () => undefined).on('close', () => (connection.closed = true));
    const [accepted] = (await once(server, 'connection')) as [Socket];
    connection.socket.write(text);
    while (accepted.bytesRead < Buffer.byteLength(text)) await new Promise((wake) => setImmediate(wake));
    await settle();
    return connection;
  };
  let isClosed = false;
  const stop = () =>
    drain.run(
      () =>
        new Promise<void>((resolve) => {
          server.close(() => {
            isClosed = true;
            resolve();
          });
          server.closeIdleConnections();
        }),
    );
  return { clock, requests, send, stop, isClosed: () => isClosed };
}

const WHOLE = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

describe('HttpDrain', () => {
  it('has nothing to wait for where nobody is connected', async () => {
    const { stop, clock } = await setUp();
    await stop();
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['nothing', ''],
    ['half a header', 'POST / HTTP/1.1\r\nHost: a\r\nContent-'],
    ['half a body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 30\r\n\r\n{"paym'],
  ])('cuts a client off that has sent %s and no more', async (_what, text) => {
    const { send, stop, clock, isClosed } = await setUp();
    const client = await send(text);
    const stopped = stop();
    await clock.advance(1_999);
    expect(isClosed()).toBe(false);
    await clock.advance(1);
    await stopped;
    if (!client.closed) await once(client.socket, 'close');
    expect([client.received, clock.pending]).toEqual(['', 0]);
  });

  it('lets what was received whole be answered', async () => {
    const { send, stop, clock, requests, isClosed } = await setUp();
    const client = await send(WHOLE);
    const half = await send('POST / HTTP/1.1\r\n');
    const stopped = stop();
    await clock.advance(5_000);
    if (!half.closed) await once(half.socket, 'close');
    expect([client.closed, isClosed()]).toEqual([false, false]);
    requests[0]!.end('done');
    await stopped;
    if (!client.closed) await once(client.socket, 'close');
    expect(client.received).toContain('done');
    expect(clock.pending).toBe(0);
  });

  it('cuts off what is not answered in time', async () => {
    const { send, stop, clock } = await setUp();
    const client = await send(WHOLE);
    const stopped = stop();
    await clock.advance(6_000);
    await stopped;
    if (!client.closed) await once(client.socket, 'close');
    expect(client.received).toBe('');
  });
});
