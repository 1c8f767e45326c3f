import { type EventStoreDBClient, jsonEvent, STOPPED } from '@eventstore/db-client';
import { collect, event, events, SpecServer } from './testing/spec-server';
import { EventStoreServer } from './server';
import { SystemRandom } from '@app/runtime';
import { clock } from './testing/spec-server';

describe('system projections', () => {
  let spec: SpecServer;
  let client: EventStoreDBClient;
  beforeEach(async () => {
    spec = await SpecServer.start();
    client = spec.client();
  });
  afterEach(async () => {
    await spec.stop();
    expect(spec.failures).toEqual([]);
  });

  /** Waits until so many events can be read of the stream, and tells where they come from. */
  async function linked(name: string, count: number): Promise<(string | undefined)[]> {
    for (;;) {
      const found = await collect(client.readStream(name, { resolveLinkTos: true })).catch(() => []);
      if (found.length >= count) return found.map(({ event: each }) => `${each?.revision}@${each?.streamId}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  it('are stopped until they are enabled, and then take in what was there before', async () => {
    await client.appendToStream('a-1', events(2));
    await client.appendToStream('a-2', events(1));
    await client.appendToStream('b-1', events(1, 'Other'));
    const before = await client.listProjections();
    expect(before.map(({ name, projectionStatus }) => [name, projectionStatus])).toContainEqual([
      '$by_category',
      STOPPED,
    ]);
    for (const name of ['$by_category', '$by_event_type', '$streams']) await client.enableProjection(name);
    await client.enableProjection('$by_category');
    await client.appendToStream('a-1', events(1, 'Other'));
    expect(await linked('$ce-a', 4)).toEqual(['0@a-1', '1@a-1', '0@a-2', '2@a-1']);
    expect(await linked('$et-Other', 2)).toEqual(['0@b-1', '2@a-1']);
    expect(await linked('$streams', 4)).toEqual(expect.arrayContaining(['0@a-1', '0@a-2', '0@b-1']));
    const [link] = await collect(client.readStream('$ce-b'));
    const [target] = await collect(client.readStream('b-1'));
    expect(link?.event?.metadata).toMatchObject({ $causedBy: target?.event?.id });
  });

  it('group streams by category and events by correlation', async () => {
    for (const name of ['$stream_by_category', '$by_correlation_id']) await client.enableProjection(name);
    await client.appendToStream('a-1', jsonEvent({ type: 'T', data: {}, metadata: { $correlationId: 'x' } }));
    expect(await linked('$bc-x', 1)).toEqual(['0@a-1']);
    await linked('$category-a', 1);
    const [reference] = await collect(client.readStream('$category-a'));
    expect(Buffer.from(reference!.event!.data as Uint8Array).toString()).toBe('a-1');
  });

  it('write each link once, over restarts and checkpoints', async () => {
    await client.enableProjection('$by_category');
    const append = (from: number) =>
      Promise.all(Array.from({ length: 30 }, (_, n) => client.appendToStream(`a-${from + n}`, events(50))));
    await append(0);
    await linked('$ce-a', 700);
    // In the middle of its work.
    await spec.server.close(0, clock);
    const { log, failures } = spec;
    const report = { failure: (_path: string, error: unknown) => failures.push(error) };
    spec.server = await EventStoreServer.start({
      ...{ log, clock, random: new SystemRandom(), report, host: '127.0.0.1', port: 0 },
    });
    client = spec.client();
    await append(30);
    const found = await linked('$ce-a', 3_000);
    expect(found).toHaveLength(3_000);
    expect(new Set(found).size).toBe(3_000);
    await client.disableProjection('$by_category');
    await client.appendToStream('a-1', event());
    expect(await linked('$ce-a', 3_000)).toHaveLength(3_000);
  });

  it('are only those that there are', async () => {
    await expect(client.enableProjection('$none')).rejects.toMatchObject({ code: 5 });
    await expect(client.createProjection('mine', 'fromAll()')).rejects.toMatchObject({ code: 12 });
  });
});
