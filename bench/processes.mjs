import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const START_LIMIT_MS = 20_000;
const IDLE_LIMIT_MS = 120_000;
/** The service counts as idle below this share of one processor. */
const IDLE_CPU = 0.1;

const children = new Set();

/** Ends what was started, the service first of all: it may take its 10 s to drain. */
export async function stopAll() {
  for (const child of children) child.kill('SIGTERM');
  await Promise.all([...children].map((child) => child.exitCode === null && once(child, 'exit')));
}

function keep(child) {
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** Starts the built service on `dataDir`. Extra arguments for node come from BENCH_NODE_OPTIONS, a profiler's for example. */
export async function startService(dataDir) {
  const port = await freePort();
  const env = {
    ...process.env,
    NODE_OPTIONS: process.env.BENCH_NODE_OPTIONS ?? '',
    HOST: '127.0.0.1',
    PORT: String(port),
  };
  Object.assign(env, { APP_MODE: 'development', DATA_DIR: dataDir, RATE_LIMIT: 'off', LOG_LEVEL: 'warn' });
  for (const name of ['EVENTSTORE_URL', 'REDIS_URL', 'PUBLIC_URL']) delete env[name];
  const args = ['--enable-source-maps', join(root, 'dist/apps/ledger/main.js')];
  const child = keep(spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] }));
  await untilAnswers(child, `http://127.0.0.1:${port}/health/ready`);
  return { port, credentials: JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')) };
}

/** @param answers one answer of each route, for the bare one to give. */
export async function startBare(answers) {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port), BENCH_ANSWERS: JSON.stringify(answers) };
  const child = keep(fork(join(root, 'bench/bare.mjs'), { env }));
  await untilAnswers(child, `http://127.0.0.1:${port}/api/v2/payments/any`);
  return port;
}

/** A function that has a job done by the load process. */
export function startLoad() {
  const child = keep(fork(join(root, 'bench/load.mjs'), { execArgv: [] }));
  return async (job) => {
    child.send(job);
    const ended = once(child, 'exit').then(([code]) => [{ error: `The load process ended with code ${code}` }]);
    const [{ result, error }] = await Promise.race([once(child, 'message'), ended]);
    if (error !== undefined) throw new Error(error);
    return result;
  };
}

/** Waits until what the last load has left behind (read models, gateway calls) is done. */
export async function untilIdle(port) {
  const giveUpAt = performance.now() + IDLE_LIMIT_MS;
  for (let before = await cpuSeconds(port); ;) {
    const from = performance.now();
    await sleep(300);
    const now = await cpuSeconds(port);
    if (((now - before) * 1000) / (performance.now() - from) < IDLE_CPU) return;
    if (performance.now() > giveUpAt) throw new Error(`The service was still busy after ${IDLE_LIMIT_MS / 1000} s`);
    before = now;
  }
}

async function cpuSeconds(port) {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(metrics)[1]);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

async function untilAnswers(child, url) {
  const giveUpAt = performance.now() + START_LIMIT_MS;
  for (;;) {
    const answered = await fetch(url).then(({ ok }) => ok, () => false); // prettier-ignore
    if (answered) return;
    if (child.exitCode !== null) throw new Error(`A process ended at its start, with code ${child.exitCode}`);
    if (performance.now() > giveUpAt) throw new Error(`${url} did not answer within ${START_LIMIT_MS / 1000} s`);
    await sleep(50);
  }
}
