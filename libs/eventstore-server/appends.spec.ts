import {
  ANY,
  type AppendExpectedRevision,
  binaryEvent,
  type EventStoreDBClient,
  MaxAppendSizeExceededError,
  NO_STREAM,
  STREAM_EXISTS,
  StreamDeletedError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { collect, event, events, SpecServer } from './testing/spec-server';

/** A multiple of the streams; raise it for a manual run. */
const FLOOD = Number(process.env['FLOOD_APPENDS'] ?? 500);
const FLOODED_STREAMS = 50;

const credentials = { username: 'somebody', password: 'irrelevant without TLS' };

describe('appends', () => {
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

  // With credentials of its own, the client sends each append as its own call.
  describe.each([
    ['BatchAppend', {}],
    ['Append', { credentials }],
  ])('through %s', (_name, how) => {
    it('answers with the revision and the position of the last event', async () => {
      const first = await client.appendToStream('a-1', events(3), { ...how, expectedRevision: NO_STREAM });
      expect(first).toMatchObject({ success: true, nextExpectedRevision: 2n });
      const second = await client.appendToStream('a-1', event(), { ...how, expectedRevision: 2n });
      expect(second.nextExpectedRevision).toBe(3n);
      const [last] = await collect(client.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 1 }));
      expect(last?.event?.position).toEqual(second.position);
    });

    it.each<[AppendExpectedRevision, string, unknown]>([
      [NO_STREAM, 'a-1', 1n],
      [0n, 'a-1', 1n],
      [5n, 'a-1', 1n],
      [0n, 'a-2', NO_STREAM],
      [STREAM_EXISTS, 'a-2', NO_STREAM],
    ])('refuses what expects %s of %s', async (expectedRevision, name, actualVersion) => {
      await client.appendToStream('a-1', events(2));
      const refused = client.appendToStream(name, event(), { ...how, expectedRevision });
      await expect(refused).rejects.toBeInstanceOf(WrongExpectedVersionError);
      await expect(refused).rejects.toMatchObject({
        streamName: name,
        expectedVersion: expectedRevision,
        actualVersion,
      });
    });

    it.each<AppendExpectedRevision>([ANY, NO_STREAM, 1n])(
      'writes what is sent twice once (expected %s)',
      async (expectedRevision) => {
        if (expectedRevision === 1n) await client.appendToStream('a-1', events(2));
        const sent = events(3);
        const first = await client.appendToStream('a-1', sent, { ...how, expectedRevision });
        await client.appendToStream('a-1', event());
        expect(await client.appendToStream('a-1', sent, { ...how, expectedRevision })).toEqual(first);
        expect(await collect(client.readStream('a-1'))).toHaveLength(Number(first.nextExpectedRevision) + 2);
      },
    );

    it('keeps bytes as they are, and writes nothing of an append that is too large', async () => {
      const data = Uint8Array.of(0, 255, 1, 254);
      const metadata = Uint8Array.of(9, 8, 7);
      await client.appendToStream('a-1', binaryEvent({ type: 'Bytes', data, metadata }), how);
      const [found] = await collect(client.readStream('a-1'));
      expect(found?.event).toMatchObject({ type: 'Bytes', isJson: false });
      expect([...(found!.event!.data as Uint8Array)]).toEqual([...data]);
      expect([...(found!.event!.metadata as Uint8Array)]).toEqual([...metadata]);

      const large = [event(), event('Large', { text: 'x'.repeat(1024 * 1024) })];
      const refused = client.appendToStream('a-1', large, how);
      await expect(refused).rejects.toBeInstanceOf(MaxAppendSizeExceededError);
      await expect(refused).rejects.toMatchObject({ maxAppendSize: 1_048_576 });
      const many = Array.from({ length: 20 }, () => event('Some', { text: 'x'.repeat(100_000) }));
      await expect(client.appendToStream('a-1', many, { ...how, batchAppendSize: 150_000 })).rejects.toBeInstanceOf(
        MaxAppendSizeExceededError,
      );
      // The connection is still usable.
      expect(await client.appendToStream('a-1', event(), how)).toMatchObject({ nextExpectedRevision: 1n });
    });

    it('refuses what a tombstoned stream is sent', async () => {
      await client.tombstoneStream('a-1');
      const refused = client.appendToStream('a-1', event(), how);
      await expect(refused).rejects.toBeInstanceOf(StreamDeletedError);
      await expect(refused).rejects.toMatchObject({ streamName: 'a-1' });
    });

    it('takes an append without events, to a stream that can be any', async () => {
      await client.appendToStream('a-1', [], how);
      await client.appendToStream('a-1', events(2), how);
      expect(await client.appendToStream('a-1', [], { ...how, expectedRevision: 1n })).toMatchObject({
        nextExpectedRevision: 1n,
      });
    });

    it('takes names in any script', async () => {
      await client.appendToStream('Zahlung-äöü-支払い', event(), how);
      const refused = client.appendToStream('Zahlung-äöü-支払い', event(), { ...how, expectedRevision: NO_STREAM });
      await expect(refused).rejects.toMatchObject({ streamName: 'Zahlung-äöü-支払い' });
    });
  });

  it('puts an append together from many chunks', async () => {
    const sent = events(500);
    const appended = await client.appendToStream('a-1', sent, { batchAppendSize: 1_024 });
    expect(appended.nextExpectedRevision).toBe(499n);
    const found = await collect(client.readStream('a-1'));
    expect(found.map(({ event: each }) => each?.id)).toEqual(sent.map(({ id }) => id));
  });

  it('answers a flood of appends, each its own', async () => {
    // On a busy machine all of them together take longer than the client waits by default.
    client = spec.client('tls=false&defaultDeadline=60000');
    const results = await Promise.all(
      Array.from({ length: FLOOD }, (_, n) =>
        client.appendToStream(`flood-${n % FLOODED_STREAMS}`, event('Flooded', { n })),
      ),
    );
    const lengths = await Promise.all(
      Array.from({ length: FLOODED_STREAMS }, async (_, n) => (await collect(client.readStream(`flood-${n}`))).length),
    );
    expect(new Set(lengths)).toEqual(new Set([FLOOD / FLOODED_STREAMS]));
    expect(new Set(results.map(({ position }) => position?.commit)).size).toBe(FLOOD);
  });
});
