import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import type { EventBatch, EventStore } from '@app/event-sourcing';
import type { EventStoreDbEventStore } from './event-store';
import { CuttingProxy } from '@app/stores/testing/cutting-proxy';
import { ProtocolServer } from '@app/stores/testing/eventstoredb/protocol-server';
import { expectUnavailable, newEvents, openStore, SHORT_TIMES } from '@app/stores/testing/eventstoredb/stores';

const EVERYTHING = { streamPrefixes: [''] };

/** Polls until the condition holds. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('over a connection that breaks', () => {
  let server: ProtocolServer;
  let proxy: CuttingProxy;
  /** Through the proxy. */
  let store: EventStoreDbEventStore;
  /** Directly: shows what the server has. */
  let direct: EventStoreDbEventStore;
  const opened: EventStore[] = [];
  const open = (...parameters: Parameters<typeof openStore>) => {
    const one = openStore(...parameters);
    opened.push(one);
    return one;
  };

  beforeEach(async () => {
    server = await ProtocolServer.start();
    proxy = await CuttingProxy.to(server.port);
    store = open(proxy.url);
    direct = open(server.url);
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
    await proxy.goAway();
    await server.stop();
    server.removeData();
  });

  describe('an append', () => {
    it('whose answer is lost is sent again, gets the first answer, and counts once', async () => {
      await store.append('a-1', 'no-stream', newEvents(1));
      proxy.holdAnswers();
      const events = newEvents(3);
      const append = store.append('a-1', 0, events);
      await until(async () => (await direct.readStream('a-1')).length === 4);
      proxy.cut();
      const { revision, position } = await append;
      const stored = await direct.readStream('a-1');
      expect(stored.map(({ id }) => id).slice(1)).toEqual(events.map(({ id }) => id));
      expect([revision, position]).toEqual([3, stored.at(-1)?.position]);
    });

    it('counts once under load, wherever the connection is cut', async () => {
      const chain = async (streamId: string) => {
        for (let n = 0; n < 10; n += 1) await store.append(streamId, n === 0 ? 'no-stream' : n - 1, newEvents(1));
      };
      const names = Array.from({ length: 40 }, (_, n) => `a-${n}`);
      let isDone = false;
      const chains = Promise.all(names.map(chain)).finally(() => {
        isDone = true;
      });
      for (let cuts = 0; !isDone && cuts < 10; cuts += 1) {
        await new Promise((resolve) => setTimeout(resolve, 10 + cuts * 5));
        proxy.cut();
      }
      await chains;
      const lengths = await Promise.all(names.map(async (name) => (await direct.readStream(name)).length));
      expect(lengths).toEqual(names.map(() => 10));
    });

    it('that is never answered fails in time, and may be repeated', async () => {
      const impatient = open(proxy.url, SHORT_TIMES);
      await impatient.append('a-1', 'no-stream', newEvents(1));
      proxy.holdAnswers();
      const events = newEvents(1);
      await expectUnavailable(impatient.append('a-1', 0, events), 'deadline');
      proxy.cut();
      expect(await impatient.append('a-1', 0, events)).toMatchObject({ revision: 1 });
      expect(await direct.readStream('a-1')).toHaveLength(2);
    });

    it('fails for its own client only', async () => {
      const other = open(server.url);
      await Promise.all([store, other].map((one, n) => one.append(`a-${n}`, 'no-stream', newEvents(1))));
      const impatient = open(proxy.url, { ...SHORT_TIMES, patienceMs: 0 });
      await impatient.append('b-1', 'no-stream', newEvents(1));
      proxy.holdAnswers();
      const lost = impatient.append('b-1', 0, newEvents(1));
      const going = Array.from({ length: 50 }, (_, n) => other.append(`c-${n}`, 'no-stream', newEvents(1)));
      proxy.cut();
      await expectUnavailable(lost, 'unavailable');
      expect(await Promise.all(going)).toHaveLength(50);
    });
  });

  it('a read of a stream is complete even if the connection is cut during it', async () => {
    const data = JSON.stringify({ text: 'x'.repeat(2_000) });
    for (let n = 0; n < 4; n += 1) {
      await direct.append('a-1', n === 0 ? 'no-stream' : n * 200 - 1, newEvents(200, data));
    }
    await store.head();
    proxy.cutAfter(500_000);
    expect((await store.readStream('a-1')).map(({ revision }) => revision)).toEqual([...Array(800).keys()]);
    proxy.cutAfter(500_000);
    const page = await store.readAll({ after: null, filter: { streamPrefixes: ['a-'] }, maxCount: 500 });
    expect(page.events.map(({ revision }) => revision)).toEqual([...Array(500).keys()]);
  });

  it('a subscription ends with an error wherever it is cut, and resumes from its last batch without a gap', async () => {
    const data = JSON.stringify({ text: 'x'.repeat(500) });
    const total = 1_200;
    const appending = (async () => {
      for (let n = 0; n < total; n += 100) {
        await direct.append('a-1', n === 0 ? 'no-stream' : n - 1, newEvents(100, data));
        await direct.append(`other-${n}`, 'no-stream', newEvents(2));
      }
    })();
    const revisions: number[] = [];
    let after: bigint | null = null;
    let losses = 0;
    while (revisions.length < total) {
      const abort = new AbortController();
      proxy.cutAfter(60_000 + losses * 20_000);
      const filter = { streamPrefixes: ['a-'] };
      const follow = async () => {
        for await (const batch of store.subscribe({ after, filter, maxBatch: 64, signal: abort.signal })) {
          revisions.push(...batch.events.map(({ revision }) => revision));
          after = batch.position;
          if (revisions.length >= total) abort.abort();
        }
      };
      await follow().catch((error: unknown) => {
        expect(error).toMatchObject({ name: 'EventStoreUnavailableError', cause: { reason: 'unavailable' } });
        losses += 1;
      });
    }
    await appending;
    expect(losses).toBeGreaterThan(2);
    expect(revisions).toEqual([...Array(total).keys()]);
  });

  it('a live subscription ends with an error even if nothing was being sent', async () => {
    const { signal } = new AbortController();
    const batches = store.subscribe({ after: null, filter: EVERYTHING, maxBatch: 10, signal })[Symbol.asyncIterator]();
    await batches.next();
    await direct.append('a-1', 'no-stream', newEvents(1));
    expect((await batches.next()).value).toMatchObject({ events: [{ streamId: 'a-1' }] });
    // An empty batch may still report that it is live.
    const untilItEnds = async () => {
      while ((await batches.next()).done !== true);
    };
    const ended = untilItEnds();
    proxy.cut();
    await expectUnavailable(ended, 'unavailable');
  });

  describe('while the store is unavailable', () => {
    it('every call fails in time, and works once the store is back', async () => {
      const impatient = open(proxy.url, SHORT_TIMES);
      await impatient.append('a-1', 'no-stream', newEvents(1));
      await proxy.goAway();
      await expectAllUnavailable(impatient, 'unavailable');
      await proxy.comeBack();
      expect(await impatient.append('a-1', 0, newEvents(1))).toMatchObject({ revision: 1 });
      expect(await impatient.readStream('a-1')).toHaveLength(2);
    });

    it('calls wait, and succeed if the store is back in time', async () => {
      await store.append('a-1', 'no-stream', newEvents(1));
      await proxy.goAway();
      const asked = Promise.all([store.append('a-1', 0, newEvents(1)), store.head(), store.readStream('a-1')]);
      await new Promise((resolve) => setTimeout(resolve, 300));
      await proxy.comeBack();
      expect((await asked)[0]).toMatchObject({ revision: 1 });
    });

    it('nothing is lost when the server is shut down and comes back', async () => {
      await direct.append('a-1', 'no-stream', newEvents(1));
      await server.stop();
      const append = direct.append('a-1', 0, newEvents(1));
      server = await server.restart();
      expect(await append).toMatchObject({ revision: 1 });
      expect(await direct.readStream('a-1')).toHaveLength(2);
    });
  });

  describe('once closed', () => {
    it('the store has completed accepted calls, and refuses new ones', async () => {
      const appends = Array.from({ length: 40 }, (_, n) => direct.append(`a-${n}`, 'no-stream', newEvents(1)));
      const closing = direct.close();
      await expectAllUnavailable(direct, 'closed');
      await closing;
      expect(await Promise.all(appends)).toHaveLength(40);
    });

    it('the store’s subscriptions end with an error', async () => {
      const { signal } = new AbortController();
      const batches = direct.subscribe({ after: null, filter: EVERYTHING, maxBatch: 10, signal });
      const iterator = batches[Symbol.asyncIterator]();
      await iterator.next();
      const waiting = iterator.next();
      await Promise.all([direct.close(), expectUnavailable(waiting, 'closed')]);
    });
  });
});

describe('on a server that accepts and never answers', () => {
  const sockets = new Set<Socket>();
  let server: Server;
  let store: EventStoreDbEventStore;

  beforeEach(async () => {
    server = createServer((socket) => sockets.add(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    store = openStore(`esdb://127.0.0.1:${port}?tls=false`, SHORT_TIMES);
  });
  afterEach(async () => {
    await store.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  // A call that waits for a channel fails when another call drops that channel.
  it('every call fails in time', () => expectAllUnavailable(store, /^(deadline|unavailable)$/));
});

async function expectAllUnavailable(store: EventStore, reason: string | RegExp): Promise<void> {
  const { signal } = new AbortController();
  const next = async (batches: AsyncIterable<EventBatch>) => batches[Symbol.asyncIterator]().next();
  await Promise.all([
    expectUnavailable(store.append('a-1', 0, newEvents(1)), reason),
    expectUnavailable(store.readStream('a-1'), reason),
    expectUnavailable(store.readAll({ after: null, filter: EVERYTHING, maxCount: 1 }), reason),
    expectUnavailable(store.head(), reason),
    expectUnavailable(next(store.subscribe({ after: null, filter: EVERYTHING, maxBatch: 1, signal })), reason),
  ]);
}
