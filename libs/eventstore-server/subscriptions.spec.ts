import {
  type AllStreamSubscription,
  END,
  type EventStoreDBClient,
  eventTypeFilter,
  excludeSystemEvents,
  type Filter,
  START,
  StreamDeletedError,
  streamNameFilter,
} from '@eventstore/db-client';
import { Checkpoints } from './subscriptions/checkpoints';
import { clock, event, events, SpecServer } from './testing/spec-server';

/** Waits until a condition holds; the test's own time-out is the limit. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('subscriptions', () => {
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

  /** Everything a subscriber receives, in order. */
  function follow(subscription: ReturnType<EventStoreDBClient['subscribeToAll' | 'subscribeToStream']>) {
    const told: string[] = [];
    const errors: Error[] = [];
    const source = subscription as AllStreamSubscription;
    source.on('confirmation', () => told.push('confirmed'));
    source.on('caughtUp', () => told.push('caught up'));
    source.on('data', ({ event: each }) => told.push(`${each?.streamId}@${each?.revision}`));
    source.on('error', (error) => errors.push(error));
    return { told, errors };
  }

  describe('to a stream', () => {
    it('begin after a revision, catch up, and go on live', async () => {
      await client.appendToStream('a-1', events(3));
      const { told } = follow(client.subscribeToStream('a-1', { fromRevision: 0n }));
      await until(() => told.includes('caught up'));
      await client.appendToStream('b-1', event());
      await client.appendToStream('a-1', events(2));
      await until(() => told.includes('a-1@4'));
      expect(told).toEqual(['confirmed', 'a-1@1', 'a-1@2', 'caught up', 'a-1@3', 'a-1@4']);
    });

    it('wait for a stream that is not there yet, and begin at the end of one that is', async () => {
      await client.appendToStream('a-1', events(3));
      const missing = follow(client.subscribeToStream('a-2', { fromRevision: START }));
      const end = follow(client.subscribeToStream('a-1', { fromRevision: END }));
      await until(() => missing.told.includes('caught up') && end.told.includes('caught up'));
      await client.appendToStream('a-1', event());
      await client.appendToStream('a-2', event());
      await until(() => missing.told.length === 3 && end.told.length === 3);
      expect(missing.told.at(-1)).toBe('a-2@0');
      expect(end.told.at(-1)).toBe('a-1@3');
    });

    it('end with an error when it is tombstoned, before or while they last', async () => {
      await client.appendToStream('a-1', event());
      const live = follow(client.subscribeToStream('a-1'));
      await until(() => live.told.includes('caught up'));
      await client.tombstoneStream('a-1');
      await until(() => live.errors.length > 0);
      expect(live.told.at(-1)).toBe(`a-1@${2n ** 63n - 1n}`);
      const late = follow(client.subscribeToStream('a-1'));
      await until(() => late.errors.length > 0);
      expect([...live.errors, ...late.errors].map((error) => error instanceof StreamDeletedError)).toEqual([
        true,
        true,
      ]);
    });

    it.each(['start', 'end'] as const)(
      'from the %s are given what is appended, however little is kept',
      async (from) => {
        await client.setStreamMetadata('a-1', { maxCount: 1 });
        await client.appendToStream('a-1', events(2));
        const { told } = follow(client.subscribeToStream('a-1', { fromRevision: from === 'start' ? START : END }));
        await until(() => told.includes('caught up'));
        await client.appendToStream('a-1', events(5));
        await client.setStreamMetadata('a-1', { truncateBefore: 100 });
        await client.appendToStream('a-1', events(300));
        await until(() => told.includes('a-1@306'));
        const before = from === 'start' ? ['a-1@1'] : [];
        const appended = Array.from({ length: 305 }, (_, n) => `a-1@${n + 2}`);
        expect(told.filter((each) => each.startsWith('a-1'))).toEqual([...before, ...appended]);
      },
    );

    it('are given what was appended before the tombstone, and all of a metadata stream', async () => {
      await client.setStreamMetadata('a-1', { maxCount: 1 });
      const { told, errors } = follow(client.subscribeToStream('a-1'));
      const metadata = follow(client.subscribeToStream('$$a-1'));
      await until(() => [told, metadata.told].every((each) => each.includes('caught up')));
      for (const maxCount of [2, 3, 4]) void client.setStreamMetadata('a-1', { maxCount });
      await client.appendToStream('a-1', events(3));
      await client.tombstoneStream('a-1');
      await until(() => errors.length > 0 && metadata.told.length === 6);
      expect(told.slice(2)).toEqual(['a-1@0', 'a-1@1', 'a-1@2', `a-1@${2n ** 63n - 1n}`]);
      expect(metadata.told.slice(1)).toEqual(['$$a-1@0', 'caught up', '$$a-1@1', '$$a-1@2', '$$a-1@3']);
    });

    it('go over a soft delete', async () => {
      await client.appendToStream('a-1', events(2));
      const { told } = follow(client.subscribeToStream('a-1'));
      await until(() => told.includes('caught up'));
      await client.deleteStream('a-1');
      await client.appendToStream('a-1', event());
      await until(() => told.includes('a-1@2'));
      expect(told).toEqual(['confirmed', 'a-1@0', 'a-1@1', 'caught up', 'a-1@2']);
    });
  });

  describe('to $all', () => {
    it('begin after a position or at the end, and go on live', async () => {
      const { position } = await client.appendToStream('a-1', events(1));
      await client.appendToStream('a-2', events(1));
      const after = follow(client.subscribeToAll({ fromPosition: position! }));
      const end = follow(client.subscribeToAll({ fromPosition: END }));
      await until(() => after.told.includes('caught up') && end.told.includes('caught up'));
      await client.appendToStream('a-3', events(1));
      await until(() => after.told.includes('a-3@0') && end.told.includes('a-3@0'));
      expect(after.told).toEqual(['confirmed', 'a-2@0', 'caught up', 'a-3@0']);
      expect(end.told).toEqual(['confirmed', 'caught up', 'a-3@0']);
    });

    const filters: [string, Filter][] = [
      ['stream prefixes', streamNameFilter({ prefixes: ['a-', 'c'] })],
      ['a stream regex', streamNameFilter({ regex: '^[ac]' })],
      ['type prefixes', eventTypeFilter({ prefixes: ['Want', 'Also'] })],
      ['a type regex', eventTypeFilter({ regex: 'anted$' })],
    ];
    it.each(filters)('let through what %s match', async (_name, filter) => {
      await client.appendToStream('a-1', event('Wanted'));
      await client.appendToStream('b-1', event('Other'));
      const { told } = follow(client.subscribeToAll({ fromPosition: START, filter }));
      await until(() => told.includes('caught up'));
      await client.appendToStream('b-2', event('Other'));
      await client.appendToStream('c', event('AlsoWanted'));
      await until(() => told.includes('c@0'));
      expect(told).toEqual(['confirmed', 'a-1@0', 'caught up', 'c@0']);
    });

    it('refuse a filter that makes no sense', async () => {
      const { errors } = follow(client.subscribeToAll({ filter: streamNameFilter({ regex: '(' }) }));
      await until(() => errors.length > 0);
      expect(errors[0]).toMatchObject({ code: 3 });
    });

    it('tell checkpoints after so many considered events, live to the event, and never backwards', async () => {
      const positions: bigint[] = [];
      const filter = excludeSystemEvents({
        checkpointInterval: 1,
        maxSearchWindow: 10,
        checkpointReached: async (_subscription, { commit }) => void positions.push(commit),
      });
      await client.appendToStream('a-1', events(25));
      const { told } = follow(client.subscribeToAll({ fromPosition: START, filter }));
      await until(() => told.includes('caught up'));
      const head = spec.log.lastPosition;
      // After each window while catching up, but not at its end.
      expect(positions).toEqual([10n, 20n]);
      for (let n = 0; n < 35; n += 1) await client.appendToStream('a-2', event());
      const live = [30n, 40n, 50n, 60n].filter((position) => position <= head + 35n);
      await until(() => positions.length === 2 + live.length);
      expect(positions.slice(2)).toEqual(live);
    });

    it('fall back to catching up when the client is slow, and lose nothing', async () => {
      const subscription = client.subscribeToAll({
        fromPosition: START,
        filter: streamNameFilter({ prefixes: ['a-'] }),
      });
      const { told } = follow(subscription);
      await until(() => told.includes('caught up'));
      subscription.pause();
      const text = 'x'.repeat(10_000);
      for (let n = 0; n < 20; n += 1) {
        const large = Array.from({ length: 50 }, () => event('Large', { text }));
        await client.appendToStream('a-1', large);
      }
      subscription.resume();
      await until(() => told.includes('a-1@999') && told.at(-1) === 'caught up');
      expect(told.filter((each) => each.startsWith('a-1'))).toEqual(
        Array.from({ length: 1_000 }, (_, n) => `a-1@${n}`),
      );
      expect(told.filter((each) => each === 'caught up').length).toBeGreaterThanOrEqual(2);
    });

    it('end when the server stops', async () => {
      const { told, errors } = follow(client.subscribeToAll());
      await until(() => told.includes('caught up'));
      await spec.server.close(5_000, clock);
      await until(() => errors.length > 0);
      expect(errors[0]).toMatchObject({ code: 1 });
    });
  });

  it('leave nothing behind when they are ended', async () => {
    const subscriptions = Array.from({ length: 20 }, () => client.subscribeToAll({ fromPosition: START }));
    const followed = subscriptions.map(follow);
    await until(() => followed.every(({ told }) => told.includes('caught up')));
    await Promise.all(subscriptions.map((each) => each.unsubscribe()));
    await client.appendToStream('a-1', event());
    await spec.server.close(5_000, clock);
  });
});

describe('Checkpoints', () => {
  it('are due live after each interval, however far a step goes', () => {
    const checkpoints = new Checkpoints(5n, 10n, 1n);
    expect([...checkpoints.reached(14n)]).toEqual([]);
    expect([...checkpoints.reached(15n)]).toEqual([15n]);
    expect([...checkpoints.reached(15n)]).toEqual([]);
    expect([...checkpoints.reached(47n)]).toEqual([25n, 35n, 45n]);
  });

  it('stand while catching up at the last event of their window, or at its beginning', () => {
    const checkpoints = new Checkpoints(0n, 10n, 2n);
    expect([...checkpoints.passed(12n)]).toEqual([]);
    checkpoints.eventSent(13n);
    expect([...checkpoints.passed(20n)]).toEqual([13n]);
    checkpoints.eventSent(25n);
    expect([...checkpoints.passed(59n)]).toEqual([31n]);
    expect([...checkpoints.reached(60n)]).toEqual([60n]);
  });

  it('are told of many windows at once only for the last of them', () => {
    const checkpoints = new Checkpoints(0n, 1n, 1n);
    const told = [...checkpoints.passed(1_000_000n)];
    expect([told.length, told.at(-1)]).toEqual([64, 1_000_000n]);
  });
});
