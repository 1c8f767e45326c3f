import { EventStoreDBClient } from '@eventstore/db-client';
import { collect, event } from './testing/spec-server';
import { ServerProcess } from './testing/server-process';

/** Appends up to the last kill; raise it for a manual run. */
const LOAD = Number(process.env['KILLED_APPENDS'] ?? 120);

interface Acknowledged {
  readonly id: string;
  readonly streamName: string;
  readonly revision: bigint;
}

describe('the server as a process', () => {
  let server: ServerProcess;
  const clients: EventStoreDBClient[] = [];
  const connect = () => {
    const client = EventStoreDBClient.connectionString(server.url);
    clients.push(client);
    return client;
  };

  beforeEach(async () => {
    server = await ServerProcess.start();
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.dispose()));
    await server.end('SIGKILL');
    server.removeData();
  });

  it('holds every append that was answered when it is killed under load', async () => {
    const acknowledged: Acknowledged[] = [];
    for (const enough of [LOAD / 4, LOAD]) {
      const client = connect();
      const writer = async (streamName: string) => {
        for (;;) {
          const sent = event('Ticked', { text: 'x'.repeat(300) });
          const { nextExpectedRevision } = await client.appendToStream(streamName, sent);
          acknowledged.push({ id: sent.id, streamName, revision: nextExpectedRevision });
          if (acknowledged.length === enough) void server.end('SIGKILL');
        }
      };
      const writers = Array.from({ length: 16 }, (_, n) => writer(`tick-${n}`));
      const outcomes = await Promise.allSettled(writers);
      expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
      await server.end('SIGKILL');
      server = await ServerProcess.start(server.directory);
      const stored = new Map<string, { streamId: string; revision: bigint }>();
      for await (const { event: each } of connect().readAll()) if (each) stored.set(each.id, each);
      for (const { id, streamName, revision } of acknowledged) {
        expect(stored.get(id)).toMatchObject({ streamId: streamName, revision });
      }
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(LOAD);
  });

  it('answers for its health over HTTP, and stops in good order with subscribers connected', async () => {
    const client = connect();
    await client.appendToStream('a-1', event());
    const subscription = client.subscribeToStream('a-1');
    const ended = new Promise((resolve) => subscription.on('error', resolve));
    await new Promise((resolve) => subscription.once('data', resolve));
    const live = await fetch(server.healthUrl.replace('ready', 'live'));
    expect([live.status, await live.json()]).toEqual([
      200,
      { status: 'live', version: expect.any(String), commit: expect.any(String) },
    ]);
    expect((await fetch(server.healthUrl)).status).toBe(200);
    expect(await (await fetch(server.healthUrl.replace('health/ready', 'metrics'))).text()).toContain(
      'counterfoil_append_batch_events_count 2',
    );
    expect((await fetch(server.healthUrl, { method: 'POST' })).status).toBe(405);
    expect((await fetch(`${server.healthUrl}/more`)).status).toBe(404);
    expect(await server.end('SIGTERM')).toBe(0);
    await ended;
    server = await ServerProcess.start(server.directory);
    expect(await collect(connect().readStream('a-1'))).toHaveLength(1);
  });
});
