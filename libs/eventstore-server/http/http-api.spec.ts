import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get as getSecurely } from 'node:https';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { collect, event, events, SpecServer } from '../testing/spec-server';

describe('HTTP/1.1 on the port of gRPC', () => {
  let spec: SpecServer;
  let client: EventStoreDBClient;
  let base: string;
  const start = async (options: Parameters<typeof SpecServer.start>[0] = {}) => {
    spec = await SpecServer.start(options);
    client = spec.client();
    base = `http://127.0.0.1:${spec.server.port}`;
  };
  beforeEach(() => start());
  afterEach(async () => {
    await spec.stop();
    expect(spec.failures).toEqual([]);
  });

  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(base + path, init);
    const body = await response.text();
    return { status: response.status, type: response.headers.get('content-type'), body };
  };
  const read = async (path: string): Promise<unknown> => JSON.parse((await ask(path)).body);

  it('tells containers that it lives, and people what it is, while gRPC goes on beside it', async () => {
    expect(await ask('/health/live')).toEqual({ status: 204, type: null, body: '' });
    expect((await ask('/health/live', { method: 'HEAD' })).status).toBe(204);
    await client.appendToStream('a-1', events(3));
    expect(await read('/info')).toMatchObject({ state: 'leader', authentication: { type: 'insecure' } });
    expect(await read('/ping')).toMatchObject({ text: 'Ping request successfully handled' });
    const { port } = spec.server;
    expect(await read('/gossip')).toMatchObject({
      members: [{ state: 'Leader', isAlive: true, httpEndPointIp: '127.0.0.1', httpEndPointPort: port }],
    });
    expect(await read('/stats')).toMatchObject({ 'proc-id': process.pid });
    expect(await collect(client.readStream('a-1'))).toHaveLength(3);
    expect((await ask('/nope')).status).toBe(404);
    expect((await ask('/nope', { method: 'POST' })).status).toBe(404);
  });

  it('shows what a stream holds', async () => {
    await client.appendToStream('a 1', [jsonEvent({ type: 'T', data: { n: 0 }, metadata: { m: 1 } }), ...events(24)]);
    const feed = (await read('/streams/a%201')) as { entries: object[]; links: { uri: string; relation: string }[] };
    expect(feed).toMatchObject({ streamId: 'a 1', headOfStream: true, eTag: '24' });
    expect(feed.entries).toHaveLength(20);
    expect(feed.entries[0]).toMatchObject({ title: '24@a 1', summary: 'Happened', id: `${base}/streams/a%201/24` });
    const next = feed.links.find(({ relation }) => relation === 'next')?.uri.slice(base.length) ?? '';
    const older = (await read(`${next}?embed=body`)) as typeof feed;
    expect(older.entries.map((entry) => (entry as { title: string }).title)).toEqual(
      [4, 3, 2, 1, 0].map((n) => `${n}@a 1`),
    );
    expect(older.entries[4]).toMatchObject({ eventType: 'T', data: '{"n":0}', metaData: '{"m":1}', eventNumber: 0 });
    const forward = (await read('/streams/a%201/3/forward/2')) as typeof feed;
    expect(forward.entries).toMatchObject([{ title: '4@a 1' }, { title: '3@a 1' }]);
    expect(await read('/streams/a%201/0')).toEqual({ n: 0 });
    expect(await read('/streams/a%201/head')).toEqual({ index: 23 });
  });

  it('says what is not there, gone or no address at all', async () => {
    await client.appendToStream('gone', event());
    await client.tombstoneStream('gone');
    await client.appendToStream('a-1', event());
    const statuses: Record<string, number> = {
      ...{ '/streams/none': 404, '/streams/gone': 410, '/streams/a-1/7': 404, '/streams/a-1/x': 404 },
      ...{ '/streams/a-1/head/backward/0': 404, '/streams/a-1/0/forward/2/more': 404, '/streams/': 404 },
      ...{ '/streams/%E0%A4%A': 400 },
    };
    for (const [path, status] of Object.entries(statuses))
      expect([path, (await ask(path)).status]).toEqual([path, status]);
  });

  it('refuses writes by name', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const { status, body } = await ask('/streams/a-1', { method });
      expect([status, body]).toEqual([405, expect.stringContaining('Writes are not taken over HTTP')]);
    }
  });

  it('waits for the first bytes however they come, and lets go of those who never speak', async () => {
    const socket: Socket = connect(spec.server.port, '127.0.0.1');
    await once(socket, 'connect');
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    for (const part of ['G', 'ET /health/live HT', 'TP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n']) {
      socket.write(part);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 204 /);
    const silent = connect(spec.server.port, '127.0.0.1');
    await once(silent, 'connect');
    const closed = once(silent, 'close');
    silent.on('error', () => undefined);
    await spec.server.close(0, { sleep: async () => undefined } as never);
    await closed;
  });

  describe('over TLS', () => {
    let directory: string;
    beforeEach(async () => {
      await spec.stop();
      directory = mkdtempSync(join(tmpdir(), 'eventstore-http-'));
      const file = (name: string) => join(directory, name);
      const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', file('key')];
      const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
      const args = ['req', '-x509', ...key, '-out', file('crt'), '-days', '2', ...subject];
      execFileSync('openssl', args, { stdio: 'ignore' });
      const tls = { certificate: readFileSync(file('crt')), privateKey: readFileSync(file('key')) };
      await start({ tls, credentials: { username: 'admin', password: 'change:it' } });
    });
    afterEach(() => rmSync(directory, { recursive: true }));

    it.each([['http/1.1'], []])(
      'is chosen by what the client says (ALPN %s), and asks for credentials',
      async (...alpn) => {
        const status = (path: string, auth?: string) =>
          new Promise((resolve, reject) => {
            const options = {
              host: 'localhost',
              port: spec.server.port,
              path,
              auth,
              ca: readFileSync(join(directory, 'crt')),
            };
            const ALPNProtocols = alpn.length === 0 ? undefined : alpn;
            getSecurely({ ...options, ...(ALPNProtocols && { ALPNProtocols }), agent: false }, (response) => {
              response.resume();
              resolve(response.statusCode);
            }).on('error', reject);
          });
        expect(await status('/health/live')).toBe(204);
        expect(await status('/stats')).toBe(401);
        expect(await status('/streams/a-1', 'admin:changeit')).toBe(401);
        expect(await status('/streams/a-1', 'admin:change:it')).toBe(404);
        const at = `admin:change%3Ait@localhost:${spec.server.port}`;
        const secure = EventStoreDBClient.connectionString(`esdb://${at}?tls=true&tlsCAFile=${join(directory, 'crt')}`);
        expect(await secure.appendToStream('a-1', event())).toMatchObject({ success: true });
        await secure.dispose();
      },
    );
  });
});
