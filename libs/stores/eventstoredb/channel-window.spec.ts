import { once } from 'node:events';
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { EventStore } from '@app/event-sourcing';
import { openStore, SHORT_TIMES } from '@app/stores/testing/eventstoredb/stores';
import { WINDOW_BYTES } from './channel-window';

/** RFC 9113, section 6.9.2. */
const DEFAULT_WINDOW_BYTES = 65_535;

let server: Http2Server;
let store: EventStore;
const sessions: ServerHttp2Session[] = [];

beforeEach(async () => {
  server = createServer();
  server.on('session', (session) => sessions.push(session));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  store = openStore(`esdb://127.0.0.1:${port}?tls=false`, SHORT_TIMES);
});
afterEach(async () => {
  await store.close();
  for (const session of sessions.splice(0)) session.destroy();
  server.close();
});

it('a server can send a whole page, to one call or to all together, before it waits for window updates', async () => {
  const answer = store.head().catch(() => 'none');
  const [{ session }] = (await once(server, 'stream')) as [ServerHttp2Stream];
  expect(session!.remoteSettings.initialWindowSize).toBe(WINDOW_BYTES);
  expect(session!.state.remoteWindowSize).toBe(WINDOW_BYTES);
  expect(WINDOW_BYTES).toBeGreaterThan(DEFAULT_WINDOW_BYTES);
  expect(await answer).toBe('none');
});
