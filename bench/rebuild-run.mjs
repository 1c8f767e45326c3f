// In a process of its own: rebuilds projections of the log of a data folder, as the service does it, and nothing beside.
import { createRequire } from 'node:module';

import { serveJobs } from './jobs.mjs';
import { keyRingOf } from './key-ring.mjs';

const require = createRequire(import.meta.url);
const { runProjector, VerifiedEventStore } = require('../dist/libs/event-sourcing');
const { PROJECTIONS } = require('../dist/apps/counterfoil/projections');
const { SystemClock } = require('../dist/libs/platform/lifecycle');
const { EmbeddedEventStore, SqliteReadStore } = require('../dist/libs/stores/sqlite');

const SAMPLE_MS = 50;

serveJobs(run);

/** @param job {dataDir, names}: rebuilds these projections side by side. @returns events each, and what it took. */
async function run({ dataDir, names }) {
  const clock = new SystemClock();
  const log = EmbeddedEventStore.open({ directory: dataDir, clock });
  const eventStore = new VerifiedEventStore(log, await keyRingOf(dataDir, log));
  const readStore = new SqliteReadStore({ dataDir, onReplaced: () => undefined });
  const wanted = PROJECTIONS.filter(({ name }) => names.includes(name));
  const head = await eventStore.head();
  for (const { name, declaredVersion } of wanted) {
    await readStore.open(name, { declaredVersion: declaredVersion - 1, head: null, nowMs: Date.now() });
    await readStore.beginBuild(name, { declaredVersion, head, nowMs: Date.now() });
  }
  const memory = sampleMemory();
  const [cpuBefore, startedAt] = [process.cpuUsage(), performance.now()];
  const built = await Promise.all(wanted.map((projection) => rebuild(projection, { eventStore, readStore, clock })));
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const peaks = memory();
  await Promise.all([readStore.close(), eventStore.close()]);
  return { events: Math.max(...built), seconds, cpuSeconds: (user + system) / 1e6, ...peaks };
}

/** @returns how many events it was handed. */
async function rebuild(projection, stores) {
  const stop = new AbortController();
  const nothing = () => undefined;
  const observer = Object.fromEntries(
    [
      'opened',
      'committed',
      'lagging',
      'restarted',
      'lost',
      'superseded',
      'building',
      'abandoned',
      'stopped',
      'resumed',
    ].map((name) => [name, nothing]),
  );
  let events = 0;
  observer.built = ({ checkpoint }) => {
    events = checkpoint.events;
    stop.abort();
  };
  const skipped = async () => new Set();
  await runProjector(projection, { ...stores, observer, skipped }, stop.signal);
  return events;
}

/** Resident memory in MB at the end of the first tenth of the samples, and the highest. */
function sampleMemory() {
  const samples = [];
  const timer = setInterval(() => samples.push(process.memoryUsage.rss() / 2 ** 20), SAMPLE_MS);
  return () => {
    clearInterval(timer);
    return { earlyMb: samples[Math.floor(samples.length / 10)] ?? 0, peakMb: Math.max(0, ...samples) };
  };
}
