import type { Socket } from 'node:dgram';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createResolveHost } from './resolver';

const TYPE_A = 1;
const TYPE_AAAA = 28;
const NXDOMAIN = 3;
let server: Socket;

/** A name server on loopback; `answer` returns the addresses' bytes for a query, or null to stay silent. */
async function nameServer(answer: (type: number) => readonly (readonly number[])[] | 'unknown' | null) {
  server = createSocket('udp4');
  const asked: number[] = [];
  server.on('message', (query, { port, address }) => {
    let end = 12;
    while (query[end] !== 0) end += (query[end] ?? 0) + 1;
    const type = query.readUInt16BE(end + 1);
    asked.push(type);
    server.emit('asked');
    const records = answer(type);
    if (records === null) return;
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180 | (records === 'unknown' ? NXDOMAIN : 0), 2);
    header.writeUInt16BE(records === 'unknown' ? 0 : records.length, 6);
    header.writeUInt32BE(0, 8);
    const answers = (records === 'unknown' ? [] : records).map((bytes) =>
      Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes]),
    );
    server.send(Buffer.concat([header, query.subarray(12, end + 5), ...answers]), port, address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  return { servers: [`127.0.0.1:${server.address().port}`], asked };
}

afterEach(() => {
  server.close();
});

const { signal } = new AbortController();
const notAsked = () => Promise.reject(new Error('the system was asked'));

it('gives the addresses of both families', async () => {
  const { servers, asked } = await nameServer((type) =>
    type === TYPE_A
      ? [
          [192, 0, 2, 1],
          [10, 0, 0, 1],
        ]
      : [[0x20, 0x01, 0x0d, 0xb8, ...new Array<number>(11).fill(0), 1]],
  );
  const resolve = createResolveHost({ servers, systemLookup: notAsked });
  expect(await resolve('both.example', signal)).toEqual([
    { address: '192.0.2.1', family: 4 },
    { address: '10.0.0.1', family: 4 },
    { address: '2001:db8::1', family: 6 },
  ]);
  expect(asked.sort((a, b) => a - b)).toEqual([TYPE_A, TYPE_AAAA]);
});

it('one family is enough', async () => {
  const { servers } = await nameServer((type) => (type === TYPE_A ? [[192, 0, 2, 1]] : []));
  const resolve = createResolveHost({ servers, systemLookup: notAsked });
  expect(await resolve('v4.example', signal)).toEqual([{ address: '192.0.2.1', family: 4 }]);
});

it('asks the system for what the name servers do not know', async () => {
  const { servers } = await nameServer(() => 'unknown');
  const resolve = createResolveHost({ servers, systemLookup: async () => [{ address: '::1', family: 6 }] });
  expect(await resolve('hosts-file.example', signal)).toEqual([{ address: '::1', family: 6 }]);
});

it('stops with the signal, and does not turn to the system then', async () => {
  const { servers } = await nameServer(() => null);
  const stopping = new AbortController();
  const resolve = createResolveHost({ servers, systemLookup: notAsked });
  const answer = resolve('silent.example', stopping.signal);
  await once(server, 'asked');
  stopping.abort();
  await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
});

it('does not hand a name server that keeps silent on to the system', async () => {
  const { servers } = await nameServer(() => null);
  const resolve = createResolveHost({ servers, systemLookup: notAsked, queryTimeoutMs: 20 });
  await expect(resolve('silent.example', signal)).rejects.toMatchObject({ code: 'ETIMEOUT' });
});
