import { randomUUID } from 'node:crypto';
import { binaryEvent, type EventStoreDBClient, jsonEvent, RUNNING, STOPPED } from '@eventstore/db-client';
import { until } from './testing/followed';
import { collect, event, events, SpecServer } from './testing/spec-server';
import { EventStoreServer } from './server';
import { SystemRandom } from '@app/platform/lifecycle';
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

  /** Waits until the stream has this many readable events, and returns their sources. */
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
    expect(await linked('$streams', 3)).toEqual(expect.arrayContaining(['0@a-1', '0@a-2', '0@b-1']));
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

  /** Data and metadata of each link of a stream. */
  async function links(name: string): Promise<[data: string, metadata: Record<string, unknown>][]> {
    const found = await collect(client.readStream(name)).catch(() => []);
    return found.map(({ event: each }) => [
      ArrayBuffer.isView(each?.data) ? Buffer.from(each.data).toString() : JSON.stringify(each?.data),
      (each?.metadata ?? {}) as Record<string, unknown>,
    ]);
  }

  it('leave the system out, and keep what ends a stream', async () => {
    for (const name of NAMES) await client.enableProjection(name);
    await client.appendToStream('a-1', [
      jsonEvent({ type: 'T', data: {}, metadata: { $correlationId: 'x' } }),
      event('T'),
    ]);
    await client.setStreamMetadata('a-1', { maxCount: 9 });
    await client.appendToStream('$system-1', jsonEvent({ type: 'T', data: {}, metadata: { $correlationId: 'x' } }));
    await client.setStreamMetadata('$system-1', { maxCount: 9 });
    for (const name of ['a-2', 'a-3']) await client.appendToStream(name, event('T'));
    await client.deleteStream('a-2');
    await client.tombstoneStream('a-3');
    await client.appendToStream('last', event('Last'));
    await until(async () => (await Promise.all(ENDS.map(links))).every(({ length }) => length > 0));
    await until(async () => (await links('$streams')).some(([data]) => data === '0@last'));

    const end = String(2n ** 63n - 1n);
    expect(await links('$streams')).toEqual(
      ['0@a-1', '0@$$a-1', '0@a-2', '0@a-3', '0@$$a-2', '0@last'].map((data) => [data, expect.anything()]),
    );
    expect((await links('$et-T')).map(([data]) => data)).toEqual(['0@a-1', '1@a-1', '0@a-2', '0@a-3']);
    expect((await links('$et-$metadata')).map(([data]) => data)).toEqual(['0@a-1']);
    expect(await links('$et-$deleted')).toMatchObject([
      ['0@a-2', { $deleted: -1 }],
      [`${end}@a-3`, { $deleted: -1 }],
    ]);
    expect(await links('$ce-a')).toMatchObject([
      ['0@a-1', { $o: 'a-1', $correlationId: 'x' }],
      ['1@a-1', { $o: 'a-1' }],
      ['0@a-2', { $o: 'a-2' }],
      ['0@a-3', { $o: 'a-3' }],
      ['0@$$a-2', { $o: 'a-2', $deleted: -1 }],
      [`${end}@a-3`, { $o: 'a-3', $deleted: -1 }],
    ]);
    const bc = await links('$bc-x');
    expect(bc.map(([data]) => data)).toEqual(['0@a-1']);
    const [first] = await collect(client.readStream('a-1'));
    expect(Date.parse(String(bc[0]?.[1]['$eventTimestamp']))).toBe(first?.event?.created.getTime());
    expect((await client.getStreamMetadata('$ce-a')).metadata).toEqual({
      acl: { readRoles: '$all', metaReadRoles: '$all' },
    });
  });

  it('link to what a link stands for, and go on though others write to their streams', async () => {
    await client.enableProjection('$by_category');
    await client.appendToStream('a-1', event());
    const id = randomUUID();
    await client.appendToStream('b-1', binaryEvent({ id, type: '$>', data: Buffer.from('0@a-1') }));
    await until(async () => (await links('$ce-b')).length === 1);
    const [target] = await collect(client.readStream('a-1'));
    expect(await links('$ce-b')).toMatchObject([['0@a-1', { $o: 'b-1', $causedBy: target?.event?.id }]]);
    await client.appendToStream('$ce-b', event());
    await client.resetProjection('$by_category');
    await client.appendToStream('b-1', event());
    await until(async () => (await links('$ce-b')).length === 3);
    expect((await links('$ce-b')).at(-1)?.[0]).toBe('1@b-1');
  });

  it('tell that they keep no state, and begin anew when they are told to', async () => {
    await client.enableProjection('$by_category');
    await client.appendToStream('a-1', events(3));
    await linked('$ce-a', 3);
    expect([await client.getProjectionState('$by_category'), await client.getProjectionResult('$by_category')]).toEqual(
      [{}, {}],
    );
    await client.resetProjection('$by_category');
    await client.restartSubsystem();
    await client.appendToStream('a-1', event());
    expect(await linked('$ce-a', 4)).toEqual(['0@a-1', '1@a-1', '2@a-1', '3@a-1']);
    expect(await client.getProjectionStatus('$by_category')).toMatchObject({ projectionStatus: RUNNING });
  });

  it('are only those that there are', async () => {
    for (const asked of [
      client.enableProjection('$none'),
      client.resetProjection('$none'),
      client.getProjectionState('$none'),
      client.getProjectionStatus('$none'),
    ]) {
      await expect(asked).rejects.toMatchObject({ code: 5, message: expect.stringContaining('NotFound') as string });
    }
    await expect(client.createProjection('mine', 'fromAll()')).rejects.toMatchObject({
      ...{ code: 12, message: expect.stringContaining('no projections in JavaScript') as string },
    });
  });
});

const NAMES = ['$by_category', '$by_event_type', '$streams', '$stream_by_category', '$by_correlation_id'];
/** The last event written to each of them. */
const ENDS = ['$et-Last', '$et-$deleted', '$bc-x', '$category-a', '$ce-a'];
