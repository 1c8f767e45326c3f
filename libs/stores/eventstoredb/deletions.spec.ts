import { randomUUID } from 'node:crypto';
import { DELETION, type RecordedEvent, StreamDeletedError } from '@app/event-sourcing';
import { EventStoreDBClient } from '@eventstore/db-client';
import { newEvents, openStore } from '@app/stores/testing/eventstoredb/stores';
import { ProtocolServer } from '@app/stores/testing/eventstoredb/protocol-server';
import type { EventStoreDbEventStore } from './event-store';

/** The address of a real server to use instead of our own, if set. */
const realServer = process.env['EVENTSTORE_URL'];

let server: ProtocolServer | null = null;
let url: string;
let client: EventStoreDBClient;

beforeAll(async () => {
  if (realServer === undefined) server = await ProtocolServer.start();
  url = server?.url ?? realServer ?? '';
  client = EventStoreDBClient.connectionString(url);
});
afterAll(async () => {
  await client.dispose();
  await server?.stop();
  server?.removeData();
});

type Client = Pick<EventStoreDBClient, 'deleteStream' | 'tombstoneStream' | 'setStreamMetadata'>;

const DELETIONS: readonly (readonly [string, (client: Client, name: string) => Promise<unknown>])[] = [
  ['deleted', (client, name) => client.deleteStream(name)],
  ['tombstoned', (client, name) => client.tombstoneStream(name)],
  ['limited to its latest event', (client, name) => client.setStreamMetadata(name, { maxCount: 1 })],
  ['truncated before an event', (client, name) => client.setStreamMetadata(name, { truncateBefore: 1 })],
  ['limited in age', (client, name) => client.setStreamMetadata(name, { maxAge: 1 })],
];

describe.each(['', `${randomUUID()}:`])('with the stream prefix "%s"', (streamPrefix) => {
  let store: EventStoreDbEventStore;
  let category: string;
  let stop: AbortController;

  beforeEach(() => {
    category = `gone${randomUUID().replaceAll('-', '')}-`;
    stop = new AbortController();
    store = openStore(url, { streamPrefix });
  });
  afterEach(async () => {
    stop.abort();
    await store.close();
  });

  const filter = (types?: string[]) => ({ streamPrefixes: [category], ...(types === undefined ? {} : { types }) });

  /** The events of the stream that subscriptions deliver. */
  async function told(streamId: string, until: number, types?: string[]): Promise<readonly RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    const following = store.subscribe({ after: null, filter: filter(types), maxBatch: 10, signal: stop.signal });
    for await (const batch of following) {
      events.push(...batch.events.filter((event) => event.streamId === streamId));
      if (events.length >= until) break;
    }
    return events;
  }

  it.each(DELETIONS)(
    'readers of the log learn that a stream was %s, whether they follow live or read later',
    async (_how, cut) => {
      const streamId = `${category}1`;
      await store.append(streamId, 'no-stream', newEvents(3));
      expect(await store.wasDeletedFrom(streamId)).toBe(false);
      const live = told(streamId, 4);
      await cut(client, streamPrefix + streamId);
      for (const events of [await live, await told(streamId, 4)]) {
        expect(events.map(({ type, revision }) => [type, revision])).toEqual([
          ['Happened', 0],
          ['Happened', 1],
          ['Happened', 2],
          [DELETION, 0],
        ]);
      }
      const page = await store.readAll({ after: null, filter: filter(), maxCount: 10 });
      expect(page.events.at(-1)).toMatchObject({ type: DELETION, streamId });
      expect(await store.wasDeletedFrom(streamId)).toBe(true);
    },
  );

  it('a reader of certain types gets no deletions', async () => {
    const streamId = `${category}1`;
    await store.append(streamId, 'no-stream', newEvents(2));
    await client.deleteStream(streamPrefix + streamId);
    const { events } = await store.readAll({ after: null, filter: filter(['Happened']), maxCount: 10 });
    expect(events).toHaveLength(2);
  });

  it('metadata that hides nothing is not reported', async () => {
    const streamId = `${category}1`;
    await store.append(streamId, 'no-stream', newEvents(1));
    await client.setStreamMetadata(streamPrefix + streamId, { truncateBefore: 0, note: 'seen by somebody' });
    await store.append(streamId, 0, newEvents(1));
    const { events } = await store.readAll({ after: null, filter: filter(), maxCount: 10 });
    expect(events.map(({ type }) => type)).toEqual(['Happened', 'Happened']);
    expect(await store.wasDeletedFrom(streamId)).toBe(false);
  });

  it('a deleted stream can start again at a later revision, a tombstoned one cannot', async () => {
    const [softly, forGood] = [`${category}1`, `${category}2`];
    for (const streamId of [softly, forGood]) await store.append(streamId, 'no-stream', newEvents(2));
    await client.deleteStream(streamPrefix + softly);
    await client.tombstoneStream(streamPrefix + forGood);
    expect(await store.append(softly, 'no-stream', newEvents(2))).toMatchObject({ revision: 3 });
    await expect(store.append(forGood, 'no-stream', newEvents(1))).rejects.toBeInstanceOf(StreamDeletedError);
    await expect(store.readStream(forGood)).rejects.toBeInstanceOf(StreamDeletedError);
  });
});
