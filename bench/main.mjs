// `npm run bench`: what a create and a read cost, beside a bare Fastify route in the same run. The service is started from
// dist/ on a data folder of its own; options: --seconds, --rounds, --connections, --json.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { fsyncCostMs, median } from './fsync.mjs';
import { followToTheEnd } from './life-cycle.mjs';
import { startBare, startLoad, startService, stopAll, untilIdle } from './processes.mjs';
import { report } from './report.mjs';
import { CARD_WITH_3DS, ORDINARY_CARD } from './requests.mjs';

const options = { seconds: '6', rounds: '3', connections: '64' };
const { values } = parseArgs({
  options: {
    ...Object.fromEntries(Object.entries(options).map(([name, value]) => [name, { type: 'string', default: value }])),
    json: { type: 'boolean', default: false },
  },
});
const [seconds, rounds, connections] = Object.keys(options).map((name) => positive(name, values[name]));
const WARM_UP_SECONDS = Math.min(seconds, 3);
/** At most this many payments are read in turn. */
const MAX_READ = 10_000;

function positive(name, text) {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  console.error(`--${name} takes a whole number from 1 to 9999`);
  process.exit(2);
}

const progress = (text) => process.stderr.write(`${text}\n`);

async function bench(dataDir) {
  const fsyncMs = fsyncCostMs(dataDir);
  const service = await startService(dataDir);
  const load = startLoad();
  const common = { credentials: service.credentials, connections };
  const ours = { ...common, port: service.port };
  const once = { ...ours, connections: 1, seconds: 0 };
  const { lastBody: created } = await load({ ...once, card: CARD_WITH_3DS });
  let paymentIds = [created.paymentId];
  const { lastBody: read } = await load({ ...once, paymentIds });
  const bare = { ...common, port: await startBare({ created, read }) };
  const routes = {
    bareCreate: (time) => load({ ...bare, seconds: time, card: CARD_WITH_3DS }),
    create: async (time) => {
      const result = await load({ ...ours, seconds: time, card: CARD_WITH_3DS });
      paymentIds = result.paymentIds.slice(-MAX_READ);
      return result;
    },
    bareRead: (time) => load({ ...bare, seconds: time, paymentIds }),
    read: (time) => load({ ...ours, seconds: time, paymentIds }),
    lifeCycle: async (time) => {
      const result = await load({ ...ours, seconds: time, card: ORDINARY_CARD });
      return { ...result, ...(await followToTheEnd(service, result, time)) };
    },
  };
  progress(`warming up, ${WARM_UP_SECONDS} s each`);
  for (const route of Object.values(routes)) await settled(route, WARM_UP_SECONDS);
  const results = Object.fromEntries(Object.keys(routes).map((name) => [name, []]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, route] of Object.entries(routes)) {
      const result = await settled(route, seconds);
      progress(`round ${round} of ${rounds}: ${name} ${result.perSecond.toFixed(0)}/s`);
      results[name].push(numbersOf(result));
    }
  }
  return { fsyncMs, results };

  async function settled(route, time) {
    const result = await route(time);
    await untilIdle(service.port);
    return result;
  }
}

const numbersOf = (result) =>
  Object.fromEntries(Object.entries(result).filter(([, value]) => typeof value === 'number'));

const medians = (all) =>
  Object.fromEntries(Object.keys(all[0]).map((key) => [key, median(all.map((one) => one[key]))]));

async function main() {
  const parent = join(fileURLToPath(new URL('..', import.meta.url)), 'node_modules/.cache');
  mkdirSync(parent, { recursive: true });
  const dataDir = mkdtempSync(join(parent, 'counterfoil-bench-'));
  const cleanUp = async () => {
    await stopAll();
    rmSync(dataDir, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void cleanUp().then(() => process.exit(130)));
  try {
    const { fsyncMs, results } = await bench(dataDir);
    const setup = { seconds, rounds, connections, processors: availableParallelism(), node: process.version };
    const summary = Object.fromEntries(Object.entries(results).map(([name, all]) => [name, medians(all)]));
    const outcome = { setup: { ...setup, processor: cpus()[0]?.model ?? 'unknown', fsyncMs }, summary, results };
    console.log(values.json ? JSON.stringify(outcome, null, 2) : report(outcome));
  } finally {
    await cleanUp();
  }
}

main().catch((error) => {
  console.error(`The bench failed: ${error.message}`);
  process.exitCode = 1;
});
