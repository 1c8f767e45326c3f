import {
  eventTypeFilter,
  type EventStoreDBClient,
  excludeSystemEvents,
  type Filter,
  jsonEvent,
  PARK,
  persistentSubscriptionToAllSettingsFromDefaults as toAll,
  persistentSubscriptionToStreamSettingsFromDefaults as toStream,
  RETRY,
  SKIP,
  START,
  STOP,
  streamNameFilter,
} from '@eventstore/db-client';
import { collect, event, events, SpecServer } from '../testing/spec-server';
import { Followed, until } from '../testing/followed';

describe('a persistent subscription', () => {
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

  const create = (settings: Parameters<typeof toStream>[0] = {}) =>
    client.createPersistentSubscriptionToStream('a-1', 'g', toStream({ startFrom: START, ...settings }));
  const connect = (options: { bufferSize?: number } = {}, from = client) =>
    from.subscribeToPersistentSubscriptionToStream('a-1', 'g', options);
  const info = () => client.getPersistentSubscriptionToStreamInfo('a-1', 'g');
  const parked = async () => Number((await info()).stats.parkedMessageCount);
  const numbers = (told: readonly string[]) => told.map((each) => Number.parseInt(each, 10));

  it.each<[string, 'start' | 'end' | bigint, number[]]>([
    ['the start', START, [0, 1, 2, 3, 4, 5]],
    ['a revision', 2n, [2, 3, 4, 5]],
    ['the end', 'end', [4, 5]],
  ])('begins at %s, and goes on live', async (_name, startFrom, expected) => {
    await client.appendToStream('a-1', events(4));
    await create({ startFrom });
    // Events appended before a consumer connects are not lost.
    await client.appendToStream('a-1', event());
    const followed = new Followed(connect());
    await client.appendToStream('a-1', event());
    expect(numbers(await followed.has(expected.length))).toEqual(expected);
    expect(followed.subscription.id).toBe('a-1::g');
  });

  it('hands out what is appended while it follows, however little of itself the stream keeps', async () => {
    await client.setStreamMetadata('a-1', { maxCount: 1 });
    await client.appendToStream('a-1', events(2));
    await create();
    const followed = new Followed(connect());
    await followed.has(1);
    await client.appendToStream('a-1', events(5));
    expect(numbers(await followed.has(6))).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('hands out no more than a consumer has room for', async () => {
    await client.appendToStream('a-1', events(20));
    await create();
    const followed = new Followed(connect({ bufferSize: 3 }), null);
    await followed.has(3);
    await followed.subscription.ack(followed.delivered[1]!);
    await followed.has(4);
    expect((await info()).connections).toMatchObject([{ inFlightMessages: 3, availableSlots: 0, totalItems: 4n }]);
    expect(numbers(followed.told)).toEqual([0, 1, 2, 3]);
  });

  it('does with each message what its consumer says', async () => {
    await client.appendToStream('a-1', events(5));
    await create({ messageTimeout: 1_000, maxRetryCount: 1 });
    const answers: Record<string, 'retry' | 'park' | 'skip' | 'stop'> = {
      ...{ '0@a-1': RETRY, '0@a-1#1': RETRY, '1@a-1': PARK, '2@a-1': SKIP, '3@a-1': STOP },
    };
    const followed: Followed = new Followed(connect(), (each) => {
      const action = answers[followed.told.at(-1) ?? ''];
      return action === undefined
        ? followed.subscription.ack(each)
        : followed.subscription.nack(action, 'so it goes', each);
    });
    await until(async () => (await parked()) === 2 && (await info()).stats.totalInFlightMessages === 0);
    expect(followed.told.toSorted()).toEqual(['0@a-1', '0@a-1#1', '1@a-1', '2@a-1', '3@a-1', '4@a-1']);
    const stored = await collect(client.readStream('$persistentsubscription-a-1::g-parked'));
    const links = stored.map(({ event: each }) => ({ ...each, to: Buffer.from(each?.data as Uint8Array).toString() }));
    expect(links.map(({ to }) => to).toSorted()).toEqual(['0@a-1', '1@a-1']);
    expect(links.find(({ to }) => to === '1@a-1')).toMatchObject({
      type: '$>',
      metadata: { reason: `Client explicitly NAK'ed message.\nso it goes`, subscriptionEventNumber: 1 },
    });
  });

  it('replays parked messages, all of them or up to one, with their count at zero', async () => {
    await client.appendToStream('a-1', events(6));
    await create();
    let action: 'park' | 'ack' = 'park';
    const followed: Followed = new Followed(connect(), (each) =>
      action === 'ack' ? followed.subscription.ack(each) : followed.subscription.nack(PARK, '', each),
    );
    await until(async () => (await parked()) === 6);
    action = 'ack';
    await client.replayParkedMessagesToStream('a-1', 'g', { stopAt: 2 });
    expect(numbers((await followed.has(8)).slice(6))).toEqual([0, 1]);
    expect(followed.delivered.at(-1)).toMatchObject({
      retryCount: 0,
      link: { streamId: '$persistentsubscription-a-1::g-parked', revision: 1n },
    });
    await until(async () => (await parked()) === 4);
    await client.replayParkedMessagesToStream('a-1', 'g');
    expect(numbers((await followed.has(12)).slice(8))).toEqual([2, 3, 4, 5]);
    await until(async () => (await parked()) === 0);
    await client.replayParkedMessagesToStream('a-1', 'g');
    await client.appendToStream('a-1', event());
    expect(numbers((await followed.has(13)).slice(12))).toEqual([6]);
  });

  it('parks a replayed message again, and leaves out those whose events are gone', async () => {
    await client.appendToStream('a-1', events(3));
    await create();
    const followed: Followed = new Followed(connect(), (each) => followed.subscription.nack(PARK, '', each));
    await until(async () => (await parked()) === 3);
    await client.setStreamMetadata('a-1', { truncateBefore: 2 });
    await client.replayParkedMessagesToStream('a-1', 'g');
    expect(numbers((await followed.has(4)).slice(3))).toEqual([2]);
    await until(async () => (await parked()) === 1);
  });

  it('gives what a consumer had in flight to others when it leaves', async () => {
    await client.appendToStream('a-1', events(10));
    await create();
    const leaving = new Followed(connect({ bufferSize: 10 }), null);
    await leaving.has(10);
    const other = new Followed(connect({ bufferSize: 100 }, spec.client()));
    await leaving.subscription.unsubscribe();
    expect(await other.has(10)).toEqual(Array.from({ length: 10 }, (_, n) => `${n}@a-1#1`));
  });

  it('goes on with the others while one is slow', async () => {
    await client.appendToStream('a-1', events(300));
    await create();
    const slow = new Followed(connect({ bufferSize: 5 }), null);
    await slow.has(5);
    const quick = new Followed(connect({}, spec.client()));
    await quick.has(295);
    expect(slow.told).toHaveLength(5);
    expect(new Set([...slow.told, ...quick.told]).size).toBe(300);
  });

  it('hands out links as they are, or with what they stand for', async () => {
    await client.enableProjection('$by_category');
    await client.appendToStream('a-1', events(2));
    await until(async () => (await collect(client.readStream('$ce-a')).catch(() => [])).length === 2);
    await client.deleteStream('a-1');
    await client.appendToStream('a-1', event());
    for (const resolveLinkTos of [true, false]) {
      const settings = toStream({ startFrom: START, resolveLinkTos });
      await client.createPersistentSubscriptionToStream('$ce-a', `g-${resolveLinkTos}`, settings);
    }
    const resolved = new Followed(client.subscribeToPersistentSubscriptionToStream('$ce-a', 'g-true'));
    const plain = new Followed(client.subscribeToPersistentSubscriptionToStream('$ce-a', 'g-false'));
    // The third is the deletion, whose metadata was replaced since.
    expect(await resolved.has(4)).toEqual(['0@$ce-a', '1@$ce-a', '2@$ce-a', '2@a-1']);
    expect(await plain.has(4)).toEqual(['0@$ce-a', '1@$ce-a', '2@$ce-a', '3@$ce-a']);
    expect(resolved.delivered.map(({ event: each }) => each === undefined)).toEqual([true, true, true, false]);
    expect(plain.delivered.every(({ link }) => link === undefined)).toBe(true);
  });

  describe('to $all', () => {
    const filters: [string, Filter][] = [
      ['stream prefixes', streamNameFilter({ prefixes: ['b-', 'c'] })],
      ['a stream regex', streamNameFilter({ regex: '^[bc]' })],
      ['type prefixes', eventTypeFilter({ prefixes: ['Want'] })],
      ['a type regex', eventTypeFilter({ regex: 'anted$' })],
    ];
    it.each(filters)('hands out what %s let through', async (_name, filter) => {
      await client.appendToStream('a-1', events(40));
      await client.appendToStream('b-1', event('Wanted'));
      await client.createPersistentSubscriptionToAll('g', toAll({ startFrom: START }), { filter });
      const followed = new Followed(client.subscribeToPersistentSubscriptionToAll('g'));
      await followed.has(1);
      await client.appendToStream('a-1', events(40));
      await client.appendToStream('c', event('Wanted'));
      expect(await followed.has(2)).toEqual(['0@b-1', '0@c']);
    });

    it('begins at a position, and tells positions', async () => {
      await client.appendToStream('a-1', events(3));
      const { position } = await client.appendToStream('a-1', event());
      const filter = excludeSystemEvents();
      await client.createPersistentSubscriptionToAll('g', toAll({ startFrom: position! }), { filter });
      const followed = new Followed(client.subscribeToPersistentSubscriptionToAll('g'));
      await client.appendToStream('a-1', event());
      expect(await followed.has(2)).toEqual(['3@a-1', '4@a-1']);
      expect(followed.delivered[0]).toMatchObject({ event: { position }, commitPosition: position!.commit });
    });

    it('feeds on nothing that it writes itself', async () => {
      const settings = toAll({
        ...{ startFrom: START, checkPointAfter: 1, checkPointLowerBound: 1, checkPointUpperBound: 1 },
      });
      await client.createPersistentSubscriptionToAll('g\n1', settings);
      await client.createPersistentSubscriptionToAll('g2', settings, { filter: excludeSystemEvents() });
      const followed = ['g\n1', 'g2'].map((name) => new Followed(client.subscribeToPersistentSubscriptionToAll(name)));
      await client.appendToStream('a-1', events(3));
      await until(() => followed.every(({ told }) => told.includes('2@a-1')));
      // Once the checkpoints are written, nothing more is appended: they cause no others.
      await until(async () => {
        const before = spec.log.lastPosition;
        await new Promise((resolve) => setTimeout(resolve, 2_500));
        return spec.log.lastPosition === before;
      });
      expect((await client.getPersistentSubscriptionToAllInfo('g2')).stats.lastCheckpointedEventPosition).toBeDefined();
    });

    it('takes a checkpoint of what its filter passes over', async () => {
      const settings = toAll({ startFrom: START, checkPointUpperBound: 50 });
      await client.createPersistentSubscriptionToAll('g', settings, { filter: streamNameFilter({ prefixes: ['b-'] }) });
      for (let n = 0; n < 4; n += 1) await client.appendToStream('a-1', events(50));
      await until(async () => {
        const { stats } = await client.getPersistentSubscriptionToAllInfo('g');
        return (stats.lastCheckpointedEventPosition?.commit ?? 0n) >= 150n;
      });
    });
  });

  it('shares streams among pinned consumers', async () => {
    const settings = toAll({ startFrom: START, consumerStrategyName: 'Pinned' });
    await client.createPersistentSubscriptionToAll('g', settings, { filter: streamNameFilter({ prefixes: ['s-'] }) });
    const followed = [1, 2].map(
      () => new Followed(spec.client().subscribeToPersistentSubscriptionToAll('g', { bufferSize: 50 })),
    );
    await until(async () => (await client.getPersistentSubscriptionToAllInfo('g')).connections.length === 2);
    for (let n = 0; n < 60; n += 1) {
      await client.appendToStream(`s-${n % 20}`, jsonEvent({ type: 'T', data: { n } }));
    }
    await until(() => followed.reduce((sum, { told }) => sum + told.length, 0) === 60);
    const [first, second] = followed.map(({ delivered }) => new Set(delivered.map((each) => each.event?.streamId)));
    expect([...first!].filter((name) => second!.has(name))).toEqual([]);
    expect(Math.min(first!.size, second!.size)).toBeGreaterThan(3);
  });
});
