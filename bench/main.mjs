// `npm run bench`: what the service does in a second, beside what is possible on the same machine in the same run. Everything is
// started from dist/ on data folders of its own. Options: --seconds, --rounds, --connections, --json; --lists, --rebuild,
// --eventstore, --redis and --roles measure these too, and --only leaves out the rest. --thousands is how many thousand payments are
// rebuilt, of four events each.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { benchApi } from './api.mjs';
import { benchEventStore } from './event-store.mjs';
import { fsyncCostMs } from './fsync.mjs';
import { benchLists } from './lists.mjs';
import { stopAll } from './processes.mjs';
import { benchRebuild } from './rebuild.mjs';
import { benchRedis } from './redis.mjs';
import { report } from './report.mjs';
import { benchRoles } from './roles.mjs';
import { summaryOf } from './rounds.mjs';

const numbers = { seconds: '6', rounds: '3', connections: '64', thousands: '50' };
const switches = ['lists', 'rebuild', 'eventstore', 'redis', 'roles', 'only', 'json'];
const { values } = parseArgs({
  options: {
    ...Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, { type: 'string', default: value }])),
    ...Object.fromEntries(switches.map((name) => [name, { type: 'boolean', default: false }])),
  },
});
const [seconds, rounds, connections, thousands] = Object.keys(numbers).map((name) => positive(name, values[name]));

function positive(name, text) {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  console.error(`--${name} takes a whole number from 1 to 9999`);
  process.exit(2);
}

const progress = (text) => process.stderr.write(`${text}\n`);

/** Runs one part on folders of its own, with nothing else running, where it is wanted. */
async function part(wanted, dataDir, name, bench) {
  if (!wanted) return null;
  const measured = await bench(join(dataDir, name), { seconds, rounds, connections, thousands, progress });
  await stopAll();
  return measured;
}

async function bench(dataDir) {
  const fsyncMs = fsyncCostMs(dataDir);
  const api = await part(!values.only, dataDir, 'api', benchApi);
  const lists = await part(values.lists, dataDir, 'lists', benchLists);
  const rebuild = await part(values.rebuild, dataDir, 'rebuild', benchRebuild);
  const eventStore = await part(values.eventstore, dataDir, 'event-store', benchEventStore);
  const redis = await part(values.redis, dataDir, 'redis', benchRedis);
  const roles = await part(values.roles, dataDir, 'roles', benchRoles);
  const machine = {
    processors: availableParallelism(),
    processor: cpus()[0]?.model ?? 'unknown',
    node: process.version,
  };
  return {
    setup: { seconds, rounds, connections, ...machine, fsyncMs },
    api: api && { summary: summaryOf(api), results: api },
    lists: lists && { ...lists, summary: summaryOf(lists.results) },
    rebuild: rebuild && { ...rebuild, summary: summaryOf(rebuild.results) },
    redis: redis && { summary: summaryOf(redis), results: redis },
    roles: roles && { ...roles, summary: summaryOf(roles.results) },
    eventStore: eventStore && { summary: summaryOf(eventStore), results: eventStore },
  };
}

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
    const outcome = await bench(dataDir);
    console.log(values.json ? JSON.stringify(outcome, null, 2) : report(outcome));
  } finally {
    await cleanUp();
  }
}

main().catch((error) => {
  console.error(`The bench failed: ${error.message}`);
  process.exitCode = 1;
});
