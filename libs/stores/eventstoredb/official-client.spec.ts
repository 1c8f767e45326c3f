import { randomUUID } from 'node:crypto';
import { DELETION } from '@app/event-sourcing';
import { sha256Netstrings } from '@app/platform/lifecycle';
import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import type { EventStoreDbEventStore } from './event-store';
import { ProtocolServer } from '@app/stores/testing/eventstoredb/protocol-server';
import { openStore } from '@app/stores/testing/eventstoredb/stores';

describe("beside the official client's own commands", () => {
  let server: ProtocolServer;
  let client: EventStoreDBClient;
  let store: EventStoreDbEventStore;
  const streamPrefix = 'installation1:';

  beforeAll(async () => {
    server = await ProtocolServer.start();
    client = EventStoreDBClient.connectionString(server.url);
    store = openStore(server.url, { streamPrefix });
  });
  afterAll(async () => {
    await store.close();
    await client.dispose();
    await server.stop();
    server.removeData();
  });

  const data = { paymentId: 'pay_1', amount: '12000', text: '漢字 \u2028 "quoted"', list: [1, null, true] };
  const metadata = { actor: 'merchant:1', hash: 'ab' };

  it('events are stored as JSON under the prefixed name, and the client reads them as intended', async () => {
    const event = {
      id: randomUUID(),
      type: 'PaymentCreated',
      data: JSON.stringify(data),
      metadata: JSON.stringify(metadata),
    };
    const { position } = await store.append('payment-1', 'no-stream', [event]);
    const found = [];
    for await (const resolved of client.readStream(`${streamPrefix}payment-1`)) found.push(resolved.event);
    expect(found).toMatchObject([
      { id: event.id, type: event.type, data, metadata, isJson: true, revision: 0n, position: { commit: position } },
    ]);
  });

  it('events written by the client are read byte for byte, so that hashes match', async () => {
    const sent = jsonEvent({ type: 'PaymentCreated', data, metadata });
    await client.appendToStream(`${streamPrefix}payment-2`, sent, { expectedRevision: NO_STREAM });
    const [read] = await store.readStream('payment-2');
    expect(read).toMatchObject({ id: sent.id, streamId: 'payment-2', data: JSON.stringify(data) });
    expect(sha256Netstrings([read!.data])).toBe(sha256Netstrings([JSON.stringify(JSON.parse(read!.data))]));
  });

  it('events of other installations and of the system are never delivered', async () => {
    const other = openStore(server.url, { streamPrefix: 'installation2:' });
    const one = { id: randomUUID(), type: 'Other', data: '{}', metadata: '{}' };
    await other.append('payment-1', 'no-stream', [one]);
    await client.setStreamMetadata(`${streamPrefix}payment-1`, { acl: { readRoles: ['ops'] } });
    const page = await store.readAll({ after: null, filter: { streamPrefixes: [''] }, maxCount: 100 });
    expect(page.events.map(({ streamId }) => streamId)).toEqual(['payment-1', 'payment-2']);
    expect(page.caughtUp).toBe(true);
    await other.close();
    const everybody = openStore(server.url);
    const read = async (filter: { streamPrefixes: string[]; types?: string[] }) =>
      (await everybody.readAll({ after: null, filter, maxCount: 100 })).events.map(({ streamId }) => streamId);
    const all = ['installation1:payment-1', 'installation1:payment-2', 'installation2:payment-1'];
    expect(await read({ streamPrefixes: [''] })).toEqual(all);
    expect(await read({ streamPrefixes: ['nothing-', ''], types: ['Other', 'Oth'] })).toEqual(all.slice(2));
    await everybody.close();
  });

  it('a stream that the client tombstoned is deleted', async () => {
    const event = { id: randomUUID(), type: 'Happened', data: '{}', metadata: '{}' };
    await store.append('payment-3', 'no-stream', [event]);
    await client.tombstoneStream(`${streamPrefix}payment-3`);
    const error = { name: 'StreamDeletedError', streamId: 'payment-3' };
    await expect(store.readStream('payment-3')).rejects.toMatchObject(error);
    await expect(store.append('payment-3', 0, [{ ...event, id: randomUUID() }])).rejects.toMatchObject(error);
    const page = await store.readAll({ after: null, filter: { streamPrefixes: ['payment-3'] }, maxCount: 100 });
    expect(page.events.map(({ type }) => type)).toEqual(['Happened', DELETION]);
  });
});
