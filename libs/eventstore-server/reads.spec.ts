import {
  BACKWARDS,
  binaryEvent,
  END,
  type EventStoreDBClient,
  FORWARDS,
  START,
  StreamDeletedError,
  StreamNotFoundError,
  type ResolvedEvent,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { collect, event, events, SpecServer } from './testing/spec-server';

const revisions = (found: readonly ResolvedEvent[]) => found.map(({ event: each }) => Number(each?.revision));

describe('reads', () => {
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

  const read = (name: string, options: Parameters<EventStoreDBClient['readStream']>[1] = {}) =>
    collect<ResolvedEvent>(client.readStream(name, options));

  it('of a stream begin and end where they were asked to, both ways', async () => {
    await client.appendToStream('a-1', events(600));
    expect(revisions(await read('a-1'))).toEqual(Array.from({ length: 600 }, (_, n) => n));
    expect(revisions(await read('a-1', { direction: BACKWARDS, fromRevision: END }))).toHaveLength(600);
    expect(revisions(await read('a-1', { fromRevision: 598n }))).toEqual([598, 599]);
    expect(revisions(await read('a-1', { fromRevision: 600n }))).toEqual([]);
    expect(revisions(await read('a-1', { direction: BACKWARDS, fromRevision: 1n }))).toEqual([1, 0]);
    expect(revisions(await read('a-1', { direction: BACKWARDS, fromRevision: 9_999n, maxCount: 2 }))).toEqual([
      599, 598,
    ]);
    expect(revisions(await read('a-1', { fromRevision: START, maxCount: 300 }))).toHaveLength(300);
    expect(revisions(await read('a-1', { direction: FORWARDS, fromRevision: END }))).toEqual([]);
  });

  it('of $all give every event at its position, both ways', async () => {
    await client.appendToStream('a-1', events(2));
    const { position } = await client.appendToStream('a-2', events(300));
    const all = await collect(client.readAll());
    const back = await collect(client.readAll({ direction: BACKWARDS, fromPosition: END }));
    expect(back.map(({ event: each }) => each?.id)).toEqual(all.map(({ event: each }) => each?.id).reverse());
    // Forwards the position is inclusive, backwards exclusive.
    const [at] = await collect(client.readAll({ fromPosition: position!, maxCount: 1 }));
    expect(at?.event).toMatchObject({ streamId: 'a-2', revision: 299n, position });
    expect(at?.commitPosition).toBe(position!.commit);
    const [before] = await collect(client.readAll({ direction: BACKWARDS, fromPosition: position!, maxCount: 1 }));
    expect(before?.event).toMatchObject({ streamId: 'a-2', revision: 298n });
    expect(await collect(client.readAll({ direction: BACKWARDS, fromPosition: START }))).toEqual([]);
    const beyond = { commit: position!.commit + 1n, prepare: position!.commit + 1n };
    expect(await collect(client.readAll({ fromPosition: beyond }))).toEqual([]);
    const backwards = client.readAll({ direction: BACKWARDS, fromPosition: beyond });
    await expect(collect(backwards)).rejects.toMatchObject({ code: 3 });
  });

  it('of $all leave out what persistent subscriptions to it keep of themselves', async () => {
    const hidden = ['$persistentsubscription-$all::group-checkpoint', '$persistentsubscription-$all::group-parked'];
    for (const name of [...hidden, '$persistentsubscription-a::group-checkpoint']) {
      await client.appendToStream(name, event());
    }
    const all = await collect(client.readAll());
    const names = all.map(({ event: each }) => each?.streamId);
    expect(names).toEqual(['$projections-$all', '$persistentsubscription-a::group-checkpoint']);
    const back = await collect(client.readAll({ direction: BACKWARDS, fromPosition: END }));
    expect(back.map(({ event: each }) => each?.streamId)).toEqual(names.reverse());
  });

  it('tell a stream that is not there from one whose events are all hidden', async () => {
    await expect(read('a-1')).rejects.toBeInstanceOf(StreamNotFoundError);
    await client.setStreamMetadata('a-1', { maxCount: 1 });
    await expect(read('a-1')).rejects.toBeInstanceOf(StreamNotFoundError);
    await client.appendToStream('a-1', events(3));
    expect(revisions(await read('a-1'))).toEqual([2]);
    await client.setStreamMetadata('a-1', { truncateBefore: 3 });
    expect(await read('a-1')).toEqual([]);
    // Nothing is gone from the log.
    const all = await collect(client.readAll());
    expect(all.filter(({ event: each }) => each?.streamId === 'a-1')).toHaveLength(3);
  });

  it('give metadata as its last version', async () => {
    await client.setStreamMetadata('a-1', { maxCount: 5 });
    await client.setStreamMetadata('a-1', { maxAge: 60, owner: 'somebody' });
    const { metadata } = await client.getStreamMetadata('a-1');
    expect(metadata).toMatchObject({ maxAge: 60, owner: 'somebody' });
    expect(revisions(await read('$$a-1'))).toEqual([1]);
  });

  describe('of a deleted stream', () => {
    beforeEach(async () => {
      await client.appendToStream('a-1', events(3));
    });

    it('find nothing until it is written to again, and then what is new', async () => {
      await expect(client.deleteStream('a-1', { expectedRevision: 0n })).rejects.toBeInstanceOf(
        WrongExpectedVersionError,
      );
      const { position } = await client.deleteStream('a-1', { expectedRevision: 2n });
      expect(position).toBeDefined();
      await expect(read('a-1')).rejects.toBeInstanceOf(StreamNotFoundError);
      const again = await client.appendToStream('a-1', events(2), { expectedRevision: 'no_stream' });
      expect(again.nextExpectedRevision).toBe(4n);
      expect(revisions(await read('a-1'))).toEqual([3, 4]);
      expect(revisions(await read('a-1', { direction: BACKWARDS, fromRevision: END }))).toEqual([4, 3]);
    });

    it('fail with its name once it was tombstoned', async () => {
      await expect(client.tombstoneStream('a-1', { expectedRevision: 7n })).rejects.toBeInstanceOf(
        WrongExpectedVersionError,
      );
      await client.tombstoneStream('a-1', { expectedRevision: 2n });
      await expect(read('a-1')).rejects.toBeInstanceOf(StreamDeletedError);
      await expect(read('a-1')).rejects.toMatchObject({ streamName: 'a-1' });
      await expect(read('$$a-1')).rejects.toBeInstanceOf(StreamDeletedError);
      await expect(client.deleteStream('a-1')).rejects.toBeInstanceOf(StreamDeletedError);
      await expect(client.tombstoneStream('a-1')).rejects.toBeInstanceOf(StreamDeletedError);
    });

    it('there must be something to delete', async () => {
      await expect(client.deleteStream('a-2')).rejects.toBeInstanceOf(WrongExpectedVersionError);
      await expect(client.deleteStream('a-2')).rejects.toMatchObject({ streamName: 'a-2', actualVersion: -1n });
    });
  });

  describe('of links', () => {
    const link = (data: string) => binaryEvent({ type: '$>', data: Buffer.from(data) });

    beforeEach(async () => {
      await client.appendToStream('a-1@odd', events(3));
      await client.appendToStream('links', [link('1@a-1@odd'), link('7@a-1@odd'), link('0@none'), link('nonsense')]);
    });

    it('put the target in their place, and leave alone what leads nowhere', async () => {
      const found = await read('links', { resolveLinkTos: true });
      expect(found.map(({ event: each, link: by }) => [each?.streamId, each?.revision, by?.revision])).toEqual([
        ['a-1@odd', 1n, 0n],
        [undefined, undefined, 1n],
        [undefined, undefined, 2n],
        ['links', 3n, undefined],
      ]);
      const [unresolved] = await read('links');
      expect(unresolved).toMatchObject({ event: { type: '$>' } });
      expect(unresolved?.link).toBeUndefined();
    });

    it('follow what is hidden of the target', async () => {
      await client.setStreamMetadata('a-1@odd', { truncateBefore: 2 });
      const [found] = await collect(client.readAll({ direction: BACKWARDS, fromPosition: END, resolveLinkTos: true }));
      expect(found?.event?.type).toBe('$metadata');
      const [truncated] = await read('links', { resolveLinkTos: true });
      expect(truncated).toMatchObject({ link: { type: '$>' } });
      expect(truncated?.event).toBeUndefined();
    });
  });

  it('of many large events go as fast as the client takes them', async () => {
    const text = 'x'.repeat(200_000);
    for (let n = 0; n < 60; n += 1) await client.appendToStream('a-1', event('Large', { text }));
    let count = 0;
    for await (const { event: each } of client.readStream('a-1')) {
      expect((each?.data as { text: string }).text).toHaveLength(200_000);
      if ((count += 1) % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(count).toBe(60);
    // A read that is abandoned halfway leaves nothing behind: the server stops at once.
    for await (const _ of client.readStream('a-1')) break;
  });
});
