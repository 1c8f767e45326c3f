import {
  END,
  type EventStoreDBClient,
  PersistentSubscriptionMaximumSubscribersReachedError,
  PersistentSubscriptionDoesNotExistError,
  PersistentSubscriptionDroppedError,
  PersistentSubscriptionExistsError,
  PersistentSubscriptionFailedError,
  persistentSubscriptionToAllSettingsFromDefaults as toAll,
  persistentSubscriptionToStreamSettingsFromDefaults as toStream,
  jsonEvent,
  START,
  streamNameFilter,
} from '@eventstore/db-client';
import { PersistentSubscriptionsClient } from '@eventstore/db-client/generated/persistent_grpc_pb';
import { CreateReq, ReadReq, type ReadResp } from '@eventstore/db-client/generated/persistent_pb';
import { Empty, StreamIdentifier } from '@eventstore/db-client/generated/shared_pb';
import { credentials, type ServiceError } from '@grpc/grpc-js';
import { collect, event, events, SpecServer } from '../testing/spec-server';
import { Followed, until } from '../testing/followed';

describe('groups', () => {
  let spec: SpecServer;
  let client: EventStoreDBClient;
  let raw: PersistentSubscriptionsClient;
  beforeEach(async () => {
    spec = await SpecServer.start();
    client = spec.client();
    raw = new PersistentSubscriptionsClient(`127.0.0.1:${spec.server.port}`, credentials.createInsecure());
  });
  afterEach(async () => {
    raw.close();
    await spec.stop();
    expect(spec.failures).toEqual([]);
  });

  const settings = toStream({ startFrom: START });
  const create = (changes: Partial<typeof settings> = {}) =>
    client.createPersistentSubscriptionToStream('a-1', 'g', { ...settings, ...changes });
  const connect = () => client.subscribeToPersistentSubscriptionToStream('a-1', 'g');
  const info = () => client.getPersistentSubscriptionToStreamInfo('a-1', 'g');
  /** Requests that the client doesn't send. */
  const createRaw = (stream: string, wire: CreateReq.Settings, group = 'g') => {
    const identifier = new StreamIdentifier().setStreamName(Buffer.from(stream));
    const from = new CreateReq.StreamOptions().setStreamIdentifier(identifier).setStart(new Empty());
    const options = new CreateReq.Options().setStream(from).setGroupName(group).setSettings(wire);
    return new Promise((resolve, reject) => {
      raw.create(new CreateReq().setOptions(options), (error, response) => {
        if (error === null) resolve(response);
        else reject(error);
      });
    });
  };

  it('tell of themselves what they were told, and what they do', async () => {
    const mine = toStream({
      ...{ startFrom: 3n, resolveLinkTos: true, extraStatistics: true, messageTimeout: 5_000, maxRetryCount: 3 },
      ...{ checkPointAfter: 1_000, checkPointLowerBound: 1, checkPointUpperBound: 5, maxSubscriberCount: 7 },
      ...{ liveBufferSize: 40, readBatchSize: 10, historyBufferSize: 30, consumerStrategyName: 'Pinned' },
    });
    await create(mine);
    expect(await info()).toMatchObject({ eventSource: 'a-1', groupName: 'g', status: 'Live', settings: mine });
    expect((await info()).stats.lastKnownEventRevision).toBeUndefined();
    await client.appendToStream('a-1', events(10));
    const followed = new Followed(connect());
    await followed.has(7);
    await until(async () => (await info()).stats.lastCheckpointedEventRevision !== undefined);
    const { connections, stats } = await info();
    expect(connections).toMatchObject([
      { username: 'system', connectionName: client.connectionName, totalItems: 7n, availableSlots: 10 },
    ]);
    expect(connections[0]?.extraStatistics?.get('highest')).toBeGreaterThanOrEqual(0n);
    expect(stats).toMatchObject({ totalItems: 7n, lastKnownEventRevision: 9n, totalInFlightMessages: 0 });
    await client.createPersistentSubscriptionToAll('g', toAll({ startFrom: END }));
    expect((await client.listAllPersistentSubscriptions()).map(({ eventSource }) => eventSource)).toEqual([
      'a-1',
      '$all',
    ]);
    expect(await client.listPersistentSubscriptionsToStream('a-1')).toHaveLength(1);
    expect((await client.listPersistentSubscriptionsToAll())[0]).toMatchObject({ settings: toAll({ startFrom: END }) });
  });

  it('are refused where there is one, or what they are told makes no sense', async () => {
    await create();
    await expect(create()).rejects.toBeInstanceOf(PersistentSubscriptionExistsError);
    for (const changes of [{ readBatchSize: 500 }, { historyBufferSize: 20 }]) {
      const refused = client.createPersistentSubscriptionToStream('a-1', 'h', { ...settings, ...changes });
      await expect(refused).rejects.toBeInstanceOf(PersistentSubscriptionFailedError);
    }
    const beyond = { commit: 1_000n, prepare: 1_000n };
    await expect(client.createPersistentSubscriptionToAll('h', toAll({ startFrom: beyond }))).rejects.toBeInstanceOf(
      PersistentSubscriptionFailedError,
    );
    await expect(
      client.createPersistentSubscriptionToAll('h', toAll(), { filter: streamNameFilter({ regex: '(' }) }),
    ).rejects.toMatchObject({ code: 3 });
    await expect(client.createPersistentSubscriptionToStream('$all', 'h', settings)).rejects.toBeInstanceOf(
      PersistentSubscriptionFailedError,
    );
    await expect(client.createPersistentSubscriptionToStream('a-1', '', settings)).rejects.toMatchObject({ code: 3 });
    expect(await client.listAllPersistentSubscriptions()).toHaveLength(1);
  });

  it('that are not there are said to be so', async () => {
    const attempts: [string, () => Promise<unknown>][] = [
      ['g', () => client.updatePersistentSubscriptionToStream('a-1', 'g', settings)],
      ['g', () => client.deletePersistentSubscriptionToStream('a-1', 'g')],
      ['g', () => client.replayParkedMessagesToStream('a-1', 'g')],
      ['g', info],
      ['', () => client.listPersistentSubscriptionsToStream('a-1')],
    ];
    for (const [groupName, attempt] of attempts) {
      await expect(attempt()).rejects.toBeInstanceOf(PersistentSubscriptionDoesNotExistError);
      await expect(attempt()).rejects.toMatchObject({ streamName: 'a-1', groupName });
    }
    const followed = new Followed(connect());
    await until(() => followed.errors.length > 0);
    expect(followed.errors[0]).toBeInstanceOf(PersistentSubscriptionDoesNotExistError);
  });

  it('take no more consumers than they may', async () => {
    await create({ maxSubscriberCount: 1 });
    const first = new Followed(connect());
    await until(async () => (await info()).connections.length === 1);
    const second = new Followed(connect());
    await until(() => second.errors.length > 0);
    expect(second.errors[0]).toBeInstanceOf(PersistentSubscriptionMaximumSubscribersReachedError);
    await first.subscription.unsubscribe();
    await until(async () => (await info()).connections.length === 0);
    const third = new Followed(connect());
    await client.appendToStream('a-1', event());
    await third.has(1);
  });

  it('begin anew with other settings when they are updated, after their checkpoint', async () => {
    await client.appendToStream('a-1', events(5));
    await create();
    const before = new Followed(connect());
    await before.has(5);
    // Acknowledged by now: the answers on one call arrive in order.
    await until(async () => (await info()).stats.totalInFlightMessages === 0);
    await client.updatePersistentSubscriptionToStream('a-1', 'g', { ...settings, maxRetryCount: 99 });
    await until(() => before.errors.length > 0);
    expect(before.errors[0]).toBeInstanceOf(PersistentSubscriptionDroppedError);
    expect((await info()).settings.maxRetryCount).toBe(99);
    await client.appendToStream('a-1', event());
    expect(await new Followed(connect()).has(1)).toEqual(['5@a-1']);
  });

  it('drop their consumers when they are deleted, and leave nothing to those that come after', async () => {
    await client.appendToStream('a-1', events(5));
    await create({ checkPointUpperBound: 1 });
    const followed: Followed = new Followed(connect(), (each) => {
      if (each.event?.revision === 0n) return followed.subscription.nack('park', '', each);
      return followed.subscription.ack(each);
    });
    await until(async () => (await info()).stats.lastCheckpointedEventRevision === 4n);
    await client.deletePersistentSubscriptionToStream('a-1', 'g');
    await until(() => followed.errors.length > 0);
    expect(followed.errors[0]).toBeInstanceOf(PersistentSubscriptionDroppedError);
    for (const name of ['checkpoint', 'parked']) {
      await expect(collect(client.readStream(`$persistentsubscription-a-1::g-${name}`))).rejects.toThrow();
    }
    await create();
    expect((await info()).stats).toMatchObject({ parkedMessageCount: 0n, lastCheckpointedEventRevision: undefined });
    expect(await new Followed(connect()).has(5)).toEqual([0, 1, 2, 3, 4].map((n) => `${n}@a-1`));
  });

  it('keep their checkpoint in a stream that stays short', async () => {
    await client.appendToStream('a-1', events(20));
    await create({ checkPointUpperBound: 1 });
    await new Followed(connect()).has(20);
    await until(async () => (await info()).stats.lastCheckpointedEventRevision === 19n);
    const name = '$persistentsubscription-a-1::g-checkpoint';
    const found = await collect(client.readStream(name));
    expect(found.length).toBeLessThanOrEqual(2);
    expect(found.at(-1)?.event).toMatchObject({ type: 'SubscriptionCheckpoint', data: '19' });
    expect((await client.getStreamMetadata(name)).metadata).toEqual({ maxCount: 2 });
  });

  it('begin anew with the subsystem, consumers dropped', async () => {
    await client.appendToStream('a-1', events(3));
    await create();
    const before = new Followed(connect());
    await before.has(3);
    await until(async () => (await info()).stats.totalInFlightMessages === 0);
    await client.restartPersistentSubscriptionSubsystem();
    await until(() => before.errors.length > 0);
    expect(before.errors[0]).toBeInstanceOf(PersistentSubscriptionDroppedError);
    await client.appendToStream('a-1', event());
    expect(await new Followed(connect()).has(1)).toEqual(['3@a-1']);
  });

  describe('over the wire', () => {
    const identifier = new StreamIdentifier().setStreamName(Buffer.from('a-1'));
    const readOptions = () => new ReadReq.Options().setStreamIdentifier(identifier).setGroupName('g').setBufferSize(5);
    /** The call's error, if any. */
    const ended = (send: (call: ReturnType<typeof raw.read>) => void) =>
      new Promise<ServiceError | null>((resolve) => {
        const call = raw.read();
        call.on('data', () => undefined);
        call.on('error', (error: ServiceError) => resolve(error));
        call.on('end', () => resolve(null));
        send(call);
      });

    it('take a strategy by its name, and times in ticks', async () => {
      const wire = new CreateReq.Settings()
        .setReadBatchSize(5)
        .setHistoryBufferSize(10)
        .setMessageTimeoutTicks('70000')
        .setCheckpointAfterTicks('120000')
        .setConsumerStrategy('PinnedByCorrelation');
      await createRaw('a-1', wire);
      expect((await info()).settings).toMatchObject({
        ...{ consumerStrategyName: 'PinnedByCorrelation', messageTimeout: 7, checkPointAfter: 12 },
      });
      const unknown = createRaw('a-1', wire.setConsumerStrategy('Nobody'), 'h');
      await expect(unknown).rejects.toMatchObject({ code: 13 });
    });

    it('answer what makes no sense with what is wrong', async () => {
      await create();
      expect(await ended((call) => call.write(new ReadReq().setAck(new ReadReq.Ack())))).toMatchObject({ code: 3 });
      const nobody = readOptions().setBufferSize(0);
      expect(await ended((call) => call.write(new ReadReq().setOptions(nobody)))).toMatchObject({ code: 3 });
      const twice = await ended((call) => {
        call.write(new ReadReq().setOptions(readOptions()));
        call.write(new ReadReq().setOptions(readOptions()));
      });
      expect(twice).toMatchObject({ code: 3 });
      expect((await info()).connections).toEqual([]);
    });

    it('go on with a consumer that has ended its side', async () => {
      await client.appendToStream('a-1', event());
      await create();
      const call = raw.read();
      call.on('error', () => undefined);
      const told: string[] = [];
      call.on('data', (message: ReadResp) => told.push(message.getEvent()?.getEvent()?.getStreamRevision() ?? 'id'));
      call.write(new ReadReq().setOptions(readOptions()));
      call.end();
      await until(() => told.length === 2);
      await client.appendToStream('a-1', event());
      await until(() => told.length === 3);
      expect(told).toEqual(['id', '0', '1']);
      expect((await info()).connections).toMatchObject([{ inFlightMessages: 2 }]);
      call.cancel();
      expect(await new Followed(connect()).has(2)).toEqual(['0@a-1#1', '1@a-1#1']);
    });

    it('take times beyond their numbers for the longest there is, and are listed', async () => {
      const longest = '9223372036854775807';
      const wire = new CreateReq.Settings().setReadBatchSize(5).setHistoryBufferSize(10);
      wire.setMessageTimeoutTicks(longest).setCheckpointAfterTicks(longest);
      await createRaw('a-1', wire);
      await createRaw('a-2', wire.setMessageTimeoutMs(-1).setCheckpointAfterMs(0).setMaxRetryCount(-1));
      await client.restartPersistentSubscriptionSubsystem();
      const told = (await client.listAllPersistentSubscriptions()).map(
        ({ settings: { messageTimeout, checkPointAfter } }) => [...[messageTimeout, checkPointAfter]],
      );
      const most = 2 ** 31 - 1;
      expect(told).toEqual([
        [most, most],
        [-1, most],
      ]);
    });
  });

  it('are set aside when they can not work, and keep no other from it', async () => {
    await create();
    const filter = { subject: 'type', prefixes: [], regex: '(a)\\1' };
    const stored = { stream: '$all', group: 'h', startPosition: 'C:0/P:0', after: '0', filter, ...STORED_SETTINGS };
    await client.appendToStream(
      '$persistentSubscriptionConfig',
      jsonEvent({ type: '$PersistentSubscriptionCreated', data: stored }),
    );
    await client.restartPersistentSubscriptionSubsystem();
    expect((await client.listAllPersistentSubscriptions()).map(({ groupName }) => groupName)).toEqual(['g']);
    const asked = client.getPersistentSubscriptionToAllInfo('h');
    await expect(asked).rejects.toThrow(/It is set aside: .*a reference to a group/);
    expect(spec.failures.splice(0)).toHaveLength(1);
    await client.deletePersistentSubscriptionToAll('h');
    await expect(client.getPersistentSubscriptionToAllInfo('h')).rejects.toThrow(
      PersistentSubscriptionDoesNotExistError,
    );
  });
});

const STORED_SETTINGS = {
  ...{ resolveLinks: false, extraStatistics: false, messageTimeoutMs: 1_000, maxRetryCount: 1, liveBufferSize: 10 },
  ...{ readBatchSize: 5, historyBufferSize: 10, checkpointAfterMs: 1_000, minCheckpointCount: 1 },
  ...{ maxCheckpointCount: 10, maxSubscriberCount: 0, strategy: 'RoundRobin' },
};
