// Pages of a merchant's payments, of few and of many, and how long it takes to project the many.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { cpuSeconds, startLoad, startService, startWorker, untilIdle } from './processes.mjs';
import { inRounds } from './rounds.mjs';

export const SIZES = { few: 1_000, many: 100_000 };
const PATH = '/api/v2/payments';
const PAGE = 20;
const WALK_PAGE = 100;
/** Different deep pages that are asked for in turn. */
const MAX_DEEP = 100;
const BUILT_WITHIN_MS = 600_000;

/** @returns how each log was made and projected, and results by route, one a round. */
export async function benchLists(parent, { seconds, rounds, connections, progress }) {
  const prepared = {};
  for (const [name, payments] of Object.entries(SIZES)) {
    prepared[name] = await prepare(join(parent, name), payments, progress);
  }
  const load = startLoad();
  const routes = {};
  for (const [name, { service, deep }] of Object.entries(prepared)) {
    const { port, credentials } = service;
    const ask = (list) => (time) => load({ port, credentials, connections, seconds: time, ask: { list } });
    routes[`${name}First`] = ask([`${PATH}?limit=${PAGE}`]);
    routes[`${name}Deep`] = ask(deep);
  }
  const settle = () => Promise.all(Object.values(prepared).map(({ service }) => untilIdle(service.port)));
  // The sizes in turn for each kind of page, so that they are compared at the same moment.
  const ordered = ['First', 'Deep'].flatMap((page) => Object.keys(SIZES).map((name) => `${name}${page}`));
  const inTurn = Object.fromEntries(ordered.map((name) => [name, routes[name]]));
  const results = await inRounds(inTurn, { seconds, rounds, progress, settle });
  const { seeded, built } = prepared.many;
  return { seeded, built, results };
}

async function prepare(dataDir, payments, progress) {
  const seeded = await startWorker('seed')({ dataDir, payments });
  progress(`${seeded.events} events written, ${seeded.eventsPerSecond.toFixed(0)}/s; projecting them`);
  const service = await startService(dataDir);
  const built = await untilBuilt(service, seeded.events);
  progress(`${payments} payments can be listed after ${built.seconds.toFixed(1)} s`);
  return { service, seeded, built, deep: await deepPages(service, payments) };
}

/** From the moment that the service is ready: until the list answers, and until the other read models are done too. */
async function untilBuilt({ port, credentials }, events) {
  const started = performance.now();
  const cpuBefore = await cpuSeconds(port);
  const secondsSince = () => (performance.now() - started) / 1000;
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}${PATH}?limit=1`, { headers: headersOf(credentials) });
    await response.arrayBuffer();
    if (response.status === 200) break;
    if (response.status !== 503) throw new Error(`The list was answered with ${response.status}`);
    if (secondsSince() * 1000 > BUILT_WITHIN_MS) throw new Error('The list was not built in time');
    await sleep(100);
  }
  const seconds = secondsSince();
  await untilIdle(port);
  const allSeconds = secondsSince();
  const cpuMs = ((await cpuSeconds(port)) - cpuBefore) * 1000;
  return { seconds, eventsPerSecond: events / seconds, allSeconds, cpuMsPerEvent: cpuMs / events };
}

/** Walks the whole list, sees each payment once, and keeps pages of its second half. */
async function deepPages({ port, credentials }, payments) {
  const seen = new Set();
  const cursors = [];
  let cursor = null;
  do {
    const query = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const url = `http://127.0.0.1:${port}${PATH}?limit=${WALK_PAGE}${query}`;
    const { items, nextCursor } = await (await fetch(url, { headers: headersOf(credentials) })).json();
    for (const { paymentId } of items) seen.add(paymentId);
    if (nextCursor !== null && seen.size >= payments / 2) cursors.push(nextCursor);
    cursor = nextCursor;
  } while (cursor !== null);
  if (seen.size !== payments) throw new Error(`The list shows ${seen.size} payments of ${payments}`);
  const every = Math.max(1, Math.floor(cursors.length / MAX_DEEP));
  const kept = cursors.filter((_cursor, index) => index % every === 0);
  return kept.map((deep) => `${PATH}?limit=${PAGE}&cursor=${encodeURIComponent(deep)}`);
}

const headersOf = ({ accessToken }) => ({ Authorization: `Bearer ${accessToken}` });
