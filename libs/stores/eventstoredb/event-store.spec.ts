import { randomUUID } from 'node:crypto';
import { SystemClock, SystemRandom } from '@app/platform/lifecycle';
import { describeEventStoreContract } from '@app/stores/contracts/event-store.contract';
import { EventStoreDbEventStore } from './event-store';
import { ProtocolServer } from '@app/stores/testing/eventstoredb/protocol-server';

const clock = new SystemClock();
const random = new SystemRandom();
/** The address of a real server to use instead of our own, if set. */
const realServer = process.env['EVENTSTORE_URL'];

describe('on a server', () => {
  let server: ProtocolServer | null = null;
  let connectionString: string;

  beforeAll(async () => {
    if (realServer === undefined) server = await ProtocolServer.start();
    connectionString = server?.url ?? realServer ?? '';
  });
  afterAll(async () => {
    await server?.stop();
    server?.removeData();
  });

  describe.each([8_192, 3])('with a tail of %i events', (tailEvents) => {
    describeEventStoreContract('EventStoreDbEventStore', async () => {
      const streamPrefix = `${randomUUID()}:`;
      const store = EventStoreDbEventStore.open({ connectionString, streamPrefix, clock, random, tailEvents });
      return { store, dispose: () => store.close() };
    });
  });
});
