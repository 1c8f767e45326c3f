// EventStoreDB's protocol: the adapter beside the bare client on the same server, and creates beside the embedded log.
import { join } from 'node:path';

import { startEventStore, startLoad, startService, startWorker, untilIdle, withServerCpu } from './processes.mjs';
import { CARD_WITH_3DS } from './requests.mjs';
import { inRounds } from './rounds.mjs';

/** @returns results by route, one a round. */
export async function benchEventStore(parent, options) {
  return { ...(await benchClients(join(parent, 'log'), options)), ...(await benchCreates(parent, options)) };
}

async function benchClients(dataDir, { seconds, rounds, connections, progress }) {
  const server = await startEventStore(dataDir);
  const routes = {};
  const appended = {};
  for (const client of ['bare', 'adapter']) {
    const work = startWorker('append-load');
    const prefix = `bench${client}`;
    appended[client] = 0;
    const append = withServerCpu(work);
    routes[`${client}Append`] = async (time) => {
      const result = await append({ client, ...server, seconds: time, connections, prefix });
      appended[client] += result.answers;
      return result;
    };
    routes[`${client}Follow`] = () =>
      work({ client, url: server.url, follow: { prefix, events: Math.min(...Object.values(appended)) } });
  }
  const { bareAppend, adapterAppend, bareFollow, adapterFollow } = routes;
  const inTurn = { bareAppend, adapterAppend, bareFollow, adapterFollow };
  return inRounds(inTurn, { seconds, rounds, progress, settle: () => untilIdle(server.port) });
}

async function benchCreates(parent, { seconds, rounds, connections, progress }) {
  const server = await startEventStore(join(parent, 'served'));
  const services = {
    embeddedCreate: await startService(join(parent, 'embedded')),
    eventStoreCreate: await startService(join(parent, 'client'), { EVENTSTORE_URL: server.url }),
  };
  const load = startLoad();
  const ask = { create: { card: CARD_WITH_3DS } };
  const routes = Object.fromEntries(
    Object.entries(services).map(([name, { port, credentials }]) => [
      name,
      (time) => load({ port, credentials, connections, seconds: time, ask }),
    ]),
  );
  const settle = () => Promise.all(Object.values(services).map(({ port }) => untilIdle(port)));
  return inRounds(routes, { seconds, rounds, progress, settle });
}
