// In a process of its own: commits what the payments projection makes of a log to Redis, through the product's adapter, or as
// the commands which that comes to, pipelined by the bare client.
import { createRequire } from 'node:module';

import { serveJobs } from './jobs.mjs';
import { processorShare } from './numbers.mjs';

const require = createRequire(import.meta.url);
const { digest } = require('../dist/libs/event-sourcing/projector/document-writes');
const { paymentsProjection } = require('../dist/libs/payments/read-models/projection');
const { SystemClock } = require('../dist/libs/platform/lifecycle');
const { EmbeddedEventStore } = require('../dist/libs/stores/sqlite');
const { RedisReadStore } = require('../dist/libs/stores/redis');
const { Redis } = require('ioredis');

const BATCH_EVENTS = 5_000;

let batches = null;

serveJobs(async ({ client, url, dataDir }) => {
  batches ??= await batchesOf(dataDir);
  const bare = new Redis(url);
  await bare.flushall();
  const share = processorShare();
  const started = performance.now();
  await (client === 'bare' ? commitBare(bare) : commitThrough(url));
  const elapsedMs = performance.now() - started;
  const loadCpu = share();
  const server = /used_memory:(\d+)/.exec(await bare.info('memory'));
  bare.disconnect();
  const events = batches.reduce((sum, batch) => sum + batch.events, 0);
  return { answers: events, perSecond: (events * 1000) / elapsedMs, loadCpu, memoryBytes: Number(server[1]) };
});

async function commitThrough(url) {
  const { declaredVersion } = paymentsProjection;
  const store = await RedisReadStore.open({ url });
  let { version, checkpoint: expected } = await store.open('payments', { declaredVersion, head: null, nowMs: 1 });
  for (const { writes, next } of batches) {
    const commit = { projection: 'payments', version, declaredVersion, expected, next, writes };
    if ((await store.commit(commit)) !== 'committed') throw new Error('A commit was fenced off');
    expected = next;
  }
  await store.close();
}

async function commitBare(client) {
  for (const { commands, next } of batches) {
    const pipeline = client.pipeline();
    for (const [command, ...args] of commands) pipeline.call(command, ...args.map(textOf));
    pipeline.hset('bare:meta', 'checkpoint', JSON.stringify({ ...next, position: String(next.position) }));
    for (const [error] of await pipeline.exec()) if (error !== null) throw error;
  }
}

const textOf = (value) => (typeof value === 'object' ? JSON.stringify(value) : value);

/** What the projection writes for each batch of the log's events, as documents and as commands. */
async function batchesOf(dataDir) {
  const log = EmbeddedEventStore.open({ directory: dataDir, clock: new SystemClock() });
  const stopping = new AbortController();
  const filter = { streamPrefixes: paymentsProjection.streamPrefixes };
  const made = [];
  const state = new Map();
  for await (const batch of log.subscribe({ after: null, filter, maxBatch: BATCH_EVENTS, signal: stopping.signal })) {
    const last = batch.events.at(-1);
    if (last !== undefined) {
      const writes = await writesOf(batch.events, state);
      const lastEvent = { id: last.id, streamId: last.streamId, revision: last.revision };
      const next = { position: batch.position, lastEvent, events: batch.events.length };
      made.push({
        events: batch.events.length,
        writes,
        commands: writes.flatMap((write) => commandsOf(write, state)),
        next,
      });
    }
    if (batch.caughtUp) break;
  }
  stopping.abort();
  await log.close();
  return made;
}

async function writesOf(events, state) {
  const read = async (collection, keys) => keys.map((key) => state.get(`${collection} ${key}`) ?? null);
  const { writes } = await digest(paymentsProjection, events, read);
  for (const { collection, key, document } of writes) state.set(`${collection} ${key}`, document);
  return writes;
}

/** Takes a document out of where it stood, and puts it where it stands. */
function commandsOf({ collection, key, document, places }, state) {
  const name = (kind) => `bare:${kind}:${collection}`;
  const id = `places ${collection} ${key}`;
  const before = state.get(id) ?? [];
  const members = places.map(({ list, order }) => `${list}\0${order}\0${key}`);
  state.set(id, members);
  const commands = [document === null ? ['HDEL', name('documents'), key] : ['HSET', name('documents'), key, document]];
  const outOf = before.filter((member) => !members.includes(member));
  const into = members.filter((member) => !before.includes(member));
  if (outOf.length > 0) commands.push(['ZREM', name('lists'), ...outOf]);
  if (into.length > 0) commands.push(['ZADD', name('lists'), ...into.flatMap((member) => [0, member])]);
  if (into.length + outOf.length > 0) commands.push(['HSET', name('places'), key, places]);
  return commands;
}
