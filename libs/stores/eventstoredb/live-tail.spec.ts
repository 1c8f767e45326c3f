import type { EventBatch, EventStore, RecordedEvent } from '@app/event-sourcing';
import { expectInOrder, follow, idsOf } from '@app/stores/contracts/event-store-support.contract';
import { CuttingProxy } from '@app/stores/testing/cutting-proxy';
import { ProtocolServer } from '@app/stores/testing/eventstoredb/protocol-server';
import { expectUnavailable, newEvents, openStore } from '@app/stores/testing/eventstoredb/stores';

const filter = { streamPrefixes: ['a-'] };
const streamPrefix = 'installation1:';

/** Appends single events, each to a stream of its own, a few at a time. */
async function appendMany(store: EventStore, name: string, count: number): Promise<void> {
  const append = (n: number) => store.append(`${name}-${n}`, 'no-stream', newEvents(1));
  for (let n = 0; n < count; n += 5) await Promise.all([0, 1, 2, 3, 4].map((k) => append(n + k)));
}

async function stored(store: EventStore, after: bigint | null): Promise<readonly RecordedEvent[]> {
  return (await store.readAll({ after, filter, maxCount: 10_000 })).events;
}

/** Followers that start at different positions during appends, each at its own pace. */
function followAll(store: EventStore, count: number, paces: readonly number[]) {
  return Promise.all(
    paces.map(async (ms) => {
      const pause = () => new Promise<void>((resolve) => setTimeout(resolve, ms));
      await pause();
      return follow(store, {
        after: null,
        filter,
        maxBatch: 16,
        ...(ms === 0 ? {} : { onBatch: pause }),
        until: (events) => events.length >= count,
      });
    }),
  );
}

describe('live followers of the log', () => {
  let server: ProtocolServer;
  const opened: EventStore[] = [];
  const open = (url = server.url, tailEvents?: number) => {
    const store = openStore(url, { streamPrefix, ...(tailEvents === undefined ? {} : { tailEvents }) });
    opened.push(store);
    return store;
  };

  beforeEach(async () => {
    server = await ProtocolServer.start();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
    await server.stop();
    server.removeData();
  });

  it('get the same frozen objects', async () => {
    const store = open();
    let live = 0;
    const onBatch = async ({ caughtUp }: EventBatch) => {
      if (!caughtUp) return;
      live += 1;
      // The last one to join appends, so both are on the shared subscription when the event arrives.
      if (live === 4) await store.append('a-1', 'no-stream', newEvents(3));
    };
    const run = () => follow(store, { after: null, filter, onBatch, until: (events) => events.length >= 3 });
    const [one, other] = await Promise.all([run(), run()]);
    one.events.forEach((event, index) => expect(other.events[index]).toBe(event));
    expect(one.events.every((event) => Object.isFrozen(event) && event.streamId === 'a-1')).toBe(true);
  });

  it.each([
    ['that contains everything', undefined],
    ['that is short, so that slow ones repeatedly fall behind it', 8],
    ['that contains nothing', 0],
  ])('lose nothing, with a tail %s', async (_, tailEvents) => {
    const store = open(server.url, tailEvents);
    const writer = open();
    await appendMany(writer, 'a-past', 100);
    const appending = Promise.all([appendMany(writer, 'a-live', 200), appendMany(writer, 'b', 50)]);
    const followers = await followAll(store, 300, [0, 0, 1, 5, 20, 40]);
    await appending;
    const ids = idsOf(await stored(writer, null));
    expect(ids).toHaveLength(300);
    for (const { events, batches } of followers) {
      expect(idsOf(events)).toEqual(ids);
      expectInOrder(batches);
    }
  });

  it('catch up again by themselves when the tail has left them behind', async () => {
    const store = open(server.url, 10);
    await store.append('a-0', 'no-stream', newEvents(1));
    let isLeftBehind = false;
    const { events, batches } = await follow(store, {
      after: null,
      filter,
      onBatch: async ({ caughtUp }) => {
        if (!caughtUp || isLeftBehind) return;
        isLeftBehind = true;
        await appendMany(store, 'a-more', 100);
      },
      until: (seen, { caughtUp }) => seen.length >= 101 && caughtUp,
    });
    expect(idsOf(events)).toEqual(idsOf(await stored(store, null)));
    expectInOrder(batches);
  });

  it('all get the error when the subscription is lost, and can resume from their positions', async () => {
    const proxy = await CuttingProxy.to(server.port);
    const store = open(proxy.url);
    const writer = open();
    const seen = [0, 1, 2].map(() => ({ events: [] as RecordedEvent[], after: null as bigint | null, losses: 0 }));
    const total = 300;
    const followOn = async (one: (typeof seen)[number]) => {
      while (one.events.length < total) {
        const abort = new AbortController();
        try {
          for await (const batch of store.subscribe({ after: one.after, filter, maxBatch: 20, signal: abort.signal })) {
            one.events.push(...batch.events);
            one.after = batch.position;
            if (one.events.length >= total) abort.abort();
          }
        } catch (error) {
          expect(error).toMatchObject({ name: 'EventStoreUnavailableError' });
          one.losses += 1;
        }
      }
    };
    const following = Promise.all(seen.map(followOn));
    for (let n = 0; n < 6; n += 1) {
      await appendMany(writer, `a-${n}`, 50);
      if (n < 5) proxy.cut();
    }
    await following;
    const ids = idsOf(await stored(writer, null));
    for (const { events, losses } of seen) {
      expect(idsOf(events)).toEqual(ids);
      expect(losses).toBeGreaterThan(0);
    }
    await proxy.goAway();
  });

  it.each(['they', 'only others'])(
    'advance over events of others, when %s have seen that the log has grown',
    async (who) => {
      const store = open();
      const other = openStore(server.url, { streamPrefix: 'installation2:' });
      opened.push(other);
      const observer = who === 'they' ? store : other;
      let live = 0;
      let foreign: bigint | null = null;
      const { batches } = await follow(store, {
        after: null,
        filter,
        onBatch: async ({ caughtUp }) => {
          live += caughtUp ? 1 : 0;
          // The first comes from its own catch-up, the second from the tail.
          if (live !== 2 || foreign !== null) return;
          await other.append('a-1', 'no-stream', newEvents(40));
          foreign = await observer.head();
        },
        until: (_, { position }) => foreign !== null && position === foreign,
      });
      expect(batches.flatMap(({ events }) => events)).toEqual([]);
      expectInOrder(batches);
    },
  );

  it('end when the store is closed', async () => {
    const store = open();
    const runToTheEnd = async () => {
      const { signal } = new AbortController();
      let live = 0;
      for await (const { caughtUp } of store.subscribe({ after: null, filter, maxBatch: 10, signal })) {
        live += caughtUp ? 1 : 0;
        // The first comes from its own catch-up, the second from the tail.
        if (live === 2) isLive();
      }
    };
    let count = 0;
    let isLive: () => void = () => undefined;
    const allLive = new Promise<void>((resolve) => {
      isLive = () => {
        count += 1;
        if (count === 3) resolve();
      };
    });
    const ends = [1, 2, 3].map(() => expectUnavailable(runToTheEnd(), 'closed'));
    await allLive;
    await Promise.all([store.close(), ...ends]);
  });
});
