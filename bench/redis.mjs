// Redis: the commits of a rebuild through the product's adapter, beside the same commands pipelined by the bare client.
import { join } from 'node:path';

import { startRedis, startWorker } from './processes.mjs';
import { inRounds } from './rounds.mjs';

const PAYMENTS = 10_000;

/** @returns results by client, one a round: events of a rebuild a second. */
export async function benchRedis(parent, { seconds, rounds, progress }) {
  const dataDir = join(parent, 'log');
  await startWorker('seed')({ dataDir, payments: PAYMENTS });
  const { url } = await startRedis(join(parent, 'redis'));
  const work = startWorker('redis-load');
  const routes = Object.fromEntries(
    ['bare', 'adapter'].map((client) => [`${client}Rebuild`, () => work({ client, url, dataDir })]),
  );
  return inRounds(routes, { seconds, rounds, progress, settle: async () => undefined });
}
