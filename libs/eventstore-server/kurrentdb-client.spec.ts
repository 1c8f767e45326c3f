import {
  eventTypeFilter,
  jsonEvent,
  KurrentDBClient,
  PARK,
  persistentSubscriptionToStreamSettingsFromDefaults,
  START,
  streamNameFilter,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@kurrent/kurrentdb-client';
import { askClient } from './testing/recorded/client-cases';
import { compared, expectedHere, recordedCases } from './testing/recorded/expected';
import { ServerProcess } from './testing/server-process';

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of source) found.push(each);
  return found;
}

/**
 * The generated messages of both clients register in one global table under the same names, so they never share a
 * process: here the server runs in a separate one.
 */
describe("KurrentDB's own client", () => {
  let server: ServerProcess;
  let client: KurrentDBClient;
  beforeAll(async () => {
    server = await ServerProcess.start();
    client = KurrentDBClient.connectionString(server.url.replace('esdb:', 'kurrentdb:'));
  });
  afterAll(async () => {
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

  it.each(recordedCases('kurrentdb-client.jsonl'))('is answered as by EventStoreDB: %s', async (name, recorded) => {
    const filters = { byType: eventTypeFilter, byStream: streamNameFilter };
    const asked = await askClient(name.split('/')[1]!, client, filters);
    expect(compared(name, expectedHere(name, recorded), { r: asked })).toEqual([]);
  });

  it('consumes, parks and replays as a member of a group', async () => {
    const sent = Array.from({ length: 3 }, (_, n) => jsonEvent({ type: 'Happened', data: { n } }));
    await client.appendToStream('b-1', sent);
    const settings = persistentSubscriptionToStreamSettingsFromDefaults({ startFrom: START });
    await client.createPersistentSubscriptionToStream('b-1', 'g', settings);
    expect((await client.getPersistentSubscriptionToStreamInfo('b-1', 'g')).settings).toEqual(settings);
    const seen: unknown[] = [];
    const subscription = client.subscribeToPersistentSubscriptionToStream('b-1', 'g');
    for await (const each of subscription) {
      seen.push(each.event?.revision);
      if (seen.length === 1) await subscription.nack(PARK, 'later', each);
      else await subscription.ack(each);
      if (seen.length === 4) break;
      if (seen.length < 3) continue;
      let parked = 0n;
      while (parked === 0n) {
        parked = (await client.getPersistentSubscriptionToStreamInfo('b-1', 'g')).stats.parkedMessageCount;
      }
      await client.replayParkedMessagesToStream('b-1', 'g');
    }
    expect(seen).toEqual([0n, 1n, 2n, 0n]);
    await client.deletePersistentSubscriptionToStream('b-1', 'g');
    expect(await client.listAllPersistentSubscriptions()).toEqual([]);
  });
});
