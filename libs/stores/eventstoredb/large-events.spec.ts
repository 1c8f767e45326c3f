import type { EventStore } from '@app/event-sourcing';
import { expectInOrder, follow } from '@app/stores/contracts/event-store-support.contract';
import { MAX_PAGE_BYTES } from '@app/stores/recent-events';
import { ProtocolServer } from '@app/stores/testing/eventstoredb/protocol-server';
import { newEvents, openStore } from '@app/stores/testing/eventstoredb/stores';

const LARGE = 100_000;
const COUNT = 60;
const filter = { streamPrefixes: ['a-'] };

describe('large events', () => {
  let server: ProtocolServer;
  let store: EventStore;

  beforeEach(async () => {
    server = await ProtocolServer.start();
    store = openStore(server.url);
  });
  afterEach(async () => {
    await store.close();
    await server.stop();
    server.removeData();
  });

  const appendLarge = async (from: number, to: number) => {
    for (let n = from; n < to; n += 1) {
      await store.append(`a-${n}`, 'no-stream', newEvents(1, JSON.stringify({ text: 'x'.repeat(LARGE) })));
    }
  };
  const largest = (batches: readonly { readonly events: readonly { readonly data: string }[] }[]) =>
    Math.max(...batches.map(({ events }) => events.reduce((sum, { data }) => sum + data.length, 0)));

  it('arrive a few at a time, stored and live ones, without a gap', async () => {
    await appendLarge(0, COUNT);
    let isLive = false;
    const onBatch = async ({ caughtUp }: { readonly caughtUp: boolean }) => {
      if (!caughtUp || isLive) return;
      isLive = true;
      await appendLarge(COUNT, 2 * COUNT);
    };
    const until = (events: readonly unknown[]) => events.length >= 2 * COUNT;
    const { events, batches } = await follow(store, { after: null, filter, maxBatch: 1_000, onBatch, until });
    expect(events.map(({ streamId }) => streamId)).toEqual(Array.from({ length: 2 * COUNT }, (_, n) => `a-${n}`));
    expectInOrder(batches);
    expect(largest(batches)).toBeLessThan(MAX_PAGE_BYTES + 2 * LARGE);
  });

  it('make short pages of the log, from which reading continues', async () => {
    await appendLarge(0, COUNT);
    let found = 0;
    for (let after: bigint | null = null, isEnd = false; !isEnd;) {
      const page = await store.readAll({ after, filter, maxCount: 1_000 });
      expect(largest([page])).toBeLessThan(MAX_PAGE_BYTES + 2 * LARGE);
      found += page.events.length;
      ({ position: after, caughtUp: isEnd } = page);
    }
    expect(found).toBe(COUNT);
  });
});
