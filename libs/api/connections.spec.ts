import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { settle } from '@app/platform/testing';
import { type HttpFixture, MERCHANT_TOKEN, PAYMENT_ID, paymentBody, startHttp } from './testing/http-fixture';
import { MAX_UNANSWERED } from '@app/platform/http/connections/bounds';
import { MAX_DISCARDED_BYTES, MAX_ENDING_MS } from '@app/platform/http/connections/gentle-end';

const AUTH = `Authorization: Bearer ${MERCHANT_TOKEN}`;
const READ = `GET /api/v2/payments/${PAYMENT_ID} HTTP/1.1`;
const BATCH = 'POST /api/v2/payments/batch-query HTTP/1.1';
const JSON_TYPE = 'Content-Type: application/json';
const KIBIBYTE = 1024;

const head = (...lines: readonly string[]) => [lines[0], 'Host: x', ...lines.slice(1), '', ''].join('\r\n');

let http: HttpFixture;
let accepted: Socket[];
let clients: Socket[];

async function listen(maxConnections?: number): Promise<void> {
  http = await startHttp([], [], null, undefined, maxConnections === undefined ? {} : { maxConnections });
  accepted = [];
  clients = [];
  http.app.getHttpServer().on('connection', (socket: Socket) => accepted.push(socket));
  await http.app.listen(0, '127.0.0.1');
}

/** A client that keeps its side open until told to close it. */
async function client() {
  const { port } = http.app.getHttpServer().address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  clients.push(socket);
  const state = { socket, received: '', hasEnded: false, isClosed: false };
  socket.on('data', (chunk: Buffer) => (state.received += chunk.toString()));
  socket.on('end', () => (state.hasEnded = true));
  socket.on('close', () => (state.isClosed = true));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return state;
}

/** Sends until it can't any more, like a client that tries to exhaust memory. */
async function flood(socket: Socket, chunk: string): Promise<void> {
  while (!socket.destroyed && socket.writable) {
    if (!socket.write(chunk)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined);
  }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await settle(1);
}

const statusesIn = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));

afterEach(async () => {
  for (const socket of clients) socket.destroy();
  await http.app.close();
});

describe('an answer that is given before the body has come', () => {
  beforeEach(() => listen());

  it.each([
    ['without a token', head(BATCH, JSON_TYPE, `Content-Length: ${200 * KIBIBYTE}`), 401],
    ['without a token, of unknown length', head(BATCH, JSON_TYPE, 'Transfer-Encoding: chunked'), 401],
    ['too large', head(BATCH, AUTH, JSON_TYPE, `Content-Length: ${2 ** 30}`), 413],
    ['of another type', head(BATCH, AUTH, 'Content-Type: text/plain', 'Content-Length: 90000'), 415],
    ['for nobody', head('POST /nowhere HTTP/1.1', JSON_TYPE, 'Content-Length: 9000000'), 404],
    ['that nobody reads', head(READ, AUTH, 'Content-Length: 90000'), 200],
  ])('ends the connection (%s)', async (_what, text, status) => {
    const { socket, ...rest } = await client();
    const state = Object.assign(rest, { socket });
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    socket.write(text);
    await once(socket, 'end');
    expect(statusesIn(received)).toEqual([status]);
    expect(received.toLowerCase()).toContain('\r\nconnection: close\r\n');
    expect(state.socket.destroyed).toBe(false);
    socket.end();
    await until(() => accepted[0]!.destroyed && http.clock.pending === 0);
  });

  it.each([
    ['of a length', head(BATCH, JSON_TYPE, `Content-Length: ${2 ** 30}`), 'a'.repeat(64 * KIBIBYTE), 413],
    [
      'in chunks',
      head(BATCH, JSON_TYPE, 'Transfer-Encoding: chunked'),
      `${(64 * KIBIBYTE).toString(16)}\r\n${'a'.repeat(64 * KIBIBYTE)}\r\n`,
      401,
    ],
    ['of more requests', head(BATCH, JSON_TYPE, 'Content-Length: 1'), head(READ, AUTH).repeat(500), 401],
  ])('lets a client that goes on send little more (%s)', async (_what, text, chunk, status) => {
    const state = await client();
    state.socket.write(text);
    await flood(state.socket, chunk);
    await until(() => accepted[0]!.destroyed);
    expect(statusesIn(state.received)).toEqual([status]);
    // One more read of the socket may come on top.
    expect(accepted[0]!.bytesRead).toBeLessThan(MAX_DISCARDED_BYTES + 256 * KIBIBYTE);
    expect(http.behaviour.asked).toEqual([]);
  });

  it('reaches a client that reads only once it has sent everything', async () => {
    const state = await client();
    state.socket.pause();
    const body = 'a'.repeat(250 * KIBIBYTE);
    state.socket.write(head(BATCH, JSON_TYPE, `Content-Length: ${body.length}`));
    await new Promise((sent) => state.socket.write(body, sent));
    state.socket.end();
    await until(() => accepted[0]!.destroyed);
    state.socket.resume();
    await until(() => state.hasEnded);
    expect(statusesIn(state.received)).toEqual([401]);
  });

  it('does not wait for a client that neither sends nor goes', async () => {
    const state = await client();
    state.socket.write(head(BATCH, JSON_TYPE, 'Content-Length: 10'));
    await until(() => state.hasEnded);
    await http.clock.advance(MAX_ENDING_MS - 1);
    expect(accepted[0]!.destroyed).toBe(false);
    await http.clock.advance(1);
    expect(accepted[0]!.destroyed).toBe(true);
  });

  it('is the only one that ends a connection', async () => {
    const state = await client();
    const body = JSON.stringify({ paymentIds: [PAYMENT_ID] });
    for (const text of [head(BATCH, AUTH, JSON_TYPE, `Content-Length: ${body.length}`) + body, head(READ)]) {
      const before = state.received.length;
      state.socket.write(text);
      await until(() => state.received.length > before);
    }
    expect(statusesIn(state.received)).toEqual([200, 401]);
    expect(state.received.toLowerCase()).not.toContain('connection: close');
  });

  it('reaches a client whose request is no HTTP, however much follows', async () => {
    const state = await client();
    state.socket.write('hello\r\n\r\n');
    await flood(state.socket, 'a'.repeat(64 * KIBIBYTE));
    await until(() => accepted[0]!.destroyed);
    expect(statusesIn(state.received)).toEqual([400]);
    expect(accepted[0]!.bytesRead).toBeLessThan(MAX_DISCARDED_BYTES + 256 * KIBIBYTE);
  });
});

it('holds no more of one merchant’s bodies than its share, and takes them as others have arrived', async () => {
  await listen();
  const half = 200 * KIBIBYTE;
  const begin = async () => {
    const state = await client();
    state.socket.write(head(BATCH, AUTH, JSON_TYPE, `Content-Length: ${half}`) + '{');
    return state;
  };
  const sending = await Promise.all(Array.from({ length: 41 }, begin));
  await until(() => sending.some(({ received }) => received !== ''));
  const refused = sending.filter(({ received }) => received !== '');
  // 8 MiB are enough for 40 of them.
  expect(refused.map(({ received }) => statusesIn(received))).toEqual([[429]]);
  const [gone] = sending.filter(({ received }) => received === '');
  gone!.socket.destroy();
  await until(() => accepted.filter(({ destroyed }) => destroyed).length > 0);
  const again = await begin();
  again.socket.write(' '.repeat(half - 1));
  await until(() => again.received !== '');
  expect(statusesIn(again.received)).toEqual([400]);
});

describe('100 Continue', () => {
  beforeEach(() => listen());
  const body = JSON.stringify({ paymentIds: [PAYMENT_ID] });
  const asking = [JSON_TYPE, `Content-Length: ${body.length}`, 'Expect: 100-continue'] as const;

  it('is said to those alone who may send the body', async () => {
    const stranger = await client();
    stranger.socket.write(head(BATCH, ...asking));
    await until(() => stranger.hasEnded);
    expect(statusesIn(stranger.received)).toEqual([401]);
    const merchant = await client();
    merchant.socket.write(head(BATCH, AUTH, ...asking));
    await until(() => merchant.received !== '');
    expect(statusesIn(merchant.received)).toEqual([100]);
    merchant.socket.write(body);
    await until(() => merchant.received.includes('results'));
    expect(statusesIn(merchant.received)).toEqual([100, 200]);
  });
});

describe('a client that closes its sending side', () => {
  let answer: () => void;
  beforeEach(async () => {
    await listen();
    const released = new Promise<void>((resolve) => (answer = resolve));
    http.behaviour.getPayment = () => released.then(() => paymentBody());
  });

  const asking = async (text: string) => {
    const state = await client();
    state.socket.end(text);
    await until(() => accepted[0]!.readableEnded);
    return state;
  };

  it.each([
    ['a read', head(READ, AUTH), [200]],
    ['several', head(READ, AUTH).repeat(3), [200, 200, 200]],
    ['one with an empty line behind it', `${head(READ, AUTH)}\r\n\n`, [200]],
    ['one and the beginning of another', `${head(READ, AUTH)}GET /api`, [200]],
    ['one and what is no HTTP', `${head(READ, AUTH)}hello\r\n\r\n`, [200]],
    ['one that asks to keep the connection', head(READ, AUTH, 'Connection: keep-alive'), [200]],
  ])('after %s gets its answer, and the connection ends', async (_what, text, statuses) => {
    const state = await asking(text);
    answer();
    await until(() => state.isClosed);
    expect(statusesIn(state.received)).toEqual(statuses);
    await until(() => accepted[0]!.destroyed);
  });

  it('after its body gets its answer', async () => {
    const body = JSON.stringify({ paymentIds: [PAYMENT_ID] });
    const state = await asking(head(BATCH, AUTH, JSON_TYPE, `Content-Length: ${body.length}`) + body);
    await until(() => state.isClosed);
    expect(statusesIn(state.received)).toEqual([200]);
  });

  it.each([
    ['its headers', 'GET /api/v2/payments HTTP/1.1\r\nHost: x\r\n', [400]],
    ['its body', head(BATCH, AUTH, JSON_TYPE, 'Content-Length: 10') + '{', [400]],
    ['anything', '', []],
  ])('before the end of %s is told so, and holds nothing', async (_what, text, statuses) => {
    const state = await asking(text);
    await until(() => state.isClosed && accepted[0]!.destroyed);
    expect(statusesIn(state.received)).toEqual(statuses);
    expect(http.behaviour.asked).toEqual([]);
  });

  it.each([
    ['resets the connection', (socket: Socket) => socket.resetAndDestroy()],
    ['closes it altogether', (socket: Socket) => socket.destroy()],
  ])('is gone once it %s', async (_what, leave) => {
    const state = await client();
    state.socket.write(head(READ, AUTH).repeat(2));
    await until(() => http.behaviour.asked.length === 2);
    leave(state.socket);
    await until(() => accepted[0]!.readableEnded || accepted[0]!.destroyed);
    answer();
    await until(() => accepted[0]!.destroyed);
  });
});

it('works on a few requests of one connection at a time, and refuses it more', async () => {
  await listen();
  const state = await client();
  state.socket.write(head(READ, AUTH).repeat(MAX_UNANSWERED + 20));
  await until(() => state.hasEnded);
  expect(statusesIn(state.received)).toEqual([...Array.from({ length: MAX_UNANSWERED }, () => 200), 429]);
  expect(http.behaviour.asked).toHaveLength(MAX_UNANSWERED);
  const logged = http.logger.records.filter(({ message }) => message === 'request');
  expect(logged.map(({ fields }) => Number(fields['status'])).sort()).toEqual(statusesIn(state.received));
});

it('closes connections beyond the greatest number as they are opened, and takes others once there is room', async () => {
  await listen(2);
  const [first] = [await client(), await client()];
  const third = await client();
  await until(() => third.hasEnded || third.isClosed);
  expect(third.received).toBe('');
  const warnings = http.logger.records.filter(({ level }) => level === 'warn').map(({ message }) => message);
  expect(warnings).toEqual(['connections are refused: there are as many as MAX_CONNECTIONS allows']);
  first.socket.destroy();
  await until(() => accepted[0]!.destroyed);
  const next = await client();
  next.socket.write(head(READ, AUTH));
  await until(() => next.received !== '');
  expect(statusesIn(next.received)).toEqual([200]);
});
