import { jsonEvent, KurrentDBClient, StreamNotFoundError, WrongExpectedVersionError } from '@kurrent/kurrentdb-client';
import { ServerProcess } from './testing/server-process';

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of source) found.push(each);
  return found;
}

/**
 * The generated messages of both clients enter themselves into one global table under the same names, so they never share a
 * process: here the server has its own.
 */
describe("KurrentDB's own client", () => {
  let server: ServerProcess;
  let client: KurrentDBClient;
  beforeEach(async () => {
    server = await ServerProcess.start();
    client = KurrentDBClient.connectionString(server.url.replace('esdb:', 'kurrentdb:'));
  });
  afterEach(async () => {
    await client.dispose();
    await server.end('SIGKILL');
    server.removeData();
  });

  it('appends, reads, subscribes and deletes', async () => {
    const sent = Array.from({ length: 3 }, (_, n) => jsonEvent({ type: 'Happened', data: { n } }));
    const { nextExpectedRevision } = await client.appendToStream('a-1', sent, { streamState: 'no_stream' });
    expect(nextExpectedRevision).toBe(2n);
    const refused = client.appendToStream('a-1', sent.slice(1), { streamState: 'no_stream' });
    await expect(refused).rejects.toBeInstanceOf(WrongExpectedVersionError);
    const found = await collect(client.readStream('a-1'));
    expect(found.map(({ event }) => [event?.id, event?.data])).toEqual(sent.map(({ id, data }) => [id, data]));
    expect((await collect(client.readAll({ direction: 'backwards', fromPosition: 'end' }))).length).toBeGreaterThan(3);

    const revisions: unknown[] = [];
    for await (const { event } of client.subscribeToStream('a-1', { fromRevision: 1n })) {
      revisions.push(event?.revision);
      if (revisions.length === 2) break;
      await client.appendToStream('a-1', jsonEvent({ type: 'Happened', data: {} }));
    }
    expect(revisions).toEqual([2n, 3n]);

    await client.deleteStream('a-1');
    await expect(collect(client.readStream('a-1'))).rejects.toBeInstanceOf(StreamNotFoundError);
  });
});
