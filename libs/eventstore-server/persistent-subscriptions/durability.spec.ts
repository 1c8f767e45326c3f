import {
  EventStoreDBClient,
  PARK,
  persistentSubscriptionToAllSettingsFromDefaults as toAll,
  persistentSubscriptionToStreamSettingsFromDefaults as toStream,
  START,
  streamNameFilter,
} from '@eventstore/db-client';
import { event, events } from '../testing/spec-server';
import { ServerProcess } from '../testing/server-process';
import { Followed, until } from '../testing/followed';

/** Appends up to the last kill; raise it for a manual run. */
const LOAD = Number(process.env['KILLED_APPENDS'] ?? 160);

describe('groups of a server that is killed', () => {
  let server: ServerProcess;
  const clients: EventStoreDBClient[] = [];
  const connect = () => {
    const client = EventStoreDBClient.connectionString(server.url);
    clients.push(client);
    return client;
  };
  const restart = async (signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL') => {
    await server.end(signal);
    server = await ServerProcess.start(server.directory);
    return connect();
  };

  beforeAll(async () => {
    server = await ServerProcess.start();
  });
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.dispose())));
  afterAll(async () => {
    await server.end('SIGKILL');
    server.removeData();
  });

  it('are there again, with their settings, their parked messages and their checkpoint', async () => {
    let client = connect();
    const settings = toStream({ startFrom: START, checkPointUpperBound: 1, maxRetryCount: 4 });
    await client.createPersistentSubscriptionToStream('a-1', 'g', settings);
    await client.createPersistentSubscriptionToStream('a-1', 'deleted', settings);
    await client.deletePersistentSubscriptionToStream('a-1', 'deleted');
    await client.updatePersistentSubscriptionToStream('a-1', 'g', { ...settings, maxRetryCount: 5 });
    await client.appendToStream('a-1', events(10));
    const before: Followed = new Followed(client.subscribeToPersistentSubscriptionToStream('a-1', 'g'), (each) =>
      each.event?.revision === 3n
        ? before.subscription.nack(PARK, 'later', each)
        : each.event?.revision === 8n || before.subscription.ack(each),
    );
    // The message at 8 is unanswered, so no checkpoint passes 7.
    const info = () => client.getPersistentSubscriptionToStreamInfo('a-1', 'g');
    await until(async () => (await info()).stats.lastCheckpointedEventRevision === 7n);

    client = await restart();
    const [group, ...others] = await client.listAllPersistentSubscriptions();
    expect(others).toEqual([]);
    expect(group).toMatchObject({ settings: { ...settings, maxRetryCount: 5 }, stats: { parkedMessageCount: 1n } });
    const after = new Followed(client.subscribeToPersistentSubscriptionToStream('a-1', 'g'));
    // At least once: 9 was acknowledged, but follows a message that was not.
    expect(await after.has(2)).toEqual(['8@a-1', '9@a-1']);
    await client.replayParkedMessagesToStream('a-1', 'g');
    expect((await after.has(3)).at(-1)).toBe('3@a-1');
  });

  it('begin where the end was when they were created, though nothing has been consumed yet', async () => {
    let client = connect();
    await client.appendToStream('b-1', events(3));
    await client.createPersistentSubscriptionToStream('b-1', 'g', toStream());
    await client.createPersistentSubscriptionToAll('g', toAll(), { filter: streamNameFilter({ prefixes: ['b-'] }) });
    await client.appendToStream('b-1', event());
    client = await restart();
    await client.appendToStream('b-1', event());
    expect(await new Followed(client.subscribeToPersistentSubscriptionToStream('b-1', 'g')).has(2)).toEqual([
      '3@b-1',
      '4@b-1',
    ]);
    expect(await new Followed(client.subscribeToPersistentSubscriptionToAll('g')).has(2)).toEqual(['3@b-1', '4@b-1']);
  });

  it('lose nothing under load', async () => {
    let client = connect();
    const settings = toAll({ startFrom: START, checkPointUpperBound: 20, consumerStrategyName: 'Pinned' });
    await client.createPersistentSubscriptionToAll('loaded', settings, {
      filter: streamNameFilter({ prefixes: ['s-'] }),
    });
    const handled = new Set<string>();
    const follow = (from: EventStoreDBClient) =>
      [1, 2].map(() => {
        const followed: Followed = new Followed(from.subscribeToPersistentSubscriptionToAll('loaded'), (each) => {
          handled.add(String(each.event?.id));
          return followed.subscription.ack(each).catch(() => undefined);
        });
        return followed;
      });
    const appended: string[] = [];
    for (const enough of [LOAD / 2, LOAD]) {
      const consumers = follow(client);
      const writer = async (n: number) => {
        for (;;) {
          const sent = event();
          await client.appendToStream(`s-${n}`, sent);
          appended.push(sent.id);
          if (appended.length === enough) void server.end('SIGKILL');
        }
      };
      await Promise.allSettled(Array.from({ length: 8 }, (_, n) => writer(n)));
      await until(() => consumers.every(({ errors }) => errors.length > 0));
      client = await restart();
    }
    follow(client);
    await until(() => appended.every((id) => handled.has(id)));
  });

  it('repeat nothing that was acknowledged when it stops in good order', async () => {
    let client = connect();
    await client.createPersistentSubscriptionToStream('c-1', 'g', toStream({ startFrom: START }));
    await client.appendToStream('c-1', events(3));
    const before = new Followed(client.subscribeToPersistentSubscriptionToStream('c-1', 'g'));
    await before.has(3);
    const info = () => client.getPersistentSubscriptionToStreamInfo('c-1', 'g');
    await until(async () => (await info()).stats.totalInFlightMessages === 0);
    client = await restart('SIGTERM');
    await until(() => before.errors.length > 0);
    expect(before.errors[0]).toMatchObject({ code: 1 });
    await client.appendToStream('c-1', event());
    expect(await new Followed(client.subscribeToPersistentSubscriptionToStream('c-1', 'g')).has(1)).toEqual(['3@c-1']);
  });
});
