import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { startJobs } from './jobs.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const START_LIMIT_MS = 60_000;
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
export async function startService(dataDir, settings = {}) {
  return { ...(await startRole('whole', dataDir, settings)), credentials: credentialsOf(dataDir) };
}

/** Starts one role of it, or the `whole` service. */
export async function startRole(role, dataDir, settings) {
  const port = await freePort();
  const common = { PORT: String(port), APP_MODE: 'development', DATA_DIR: dataDir, RATE_LIMIT: 'off' };
  const roles = role === 'whole' ? {} : { ROLES: role };
  const child = startProgram('counterfoil', { ...common, ...roles, ...settings });
  await untilAnswers(child, `http://127.0.0.1:${port}/health/ready`);
  return { child, port };
}

/** The sandbox merchant's, once a service or an API has been ready on the folder. */
export function credentialsOf(dataDir) {
  return JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8'));
}

/** Starts the embedded log's server for EventStoreDB's clients. */
export async function startEventStore(dataDir) {
  const [port, eventStorePort] = [await freePort(), await freePort()];
  const settings = { PORT: String(port), EVENTSTORE_PORT: String(eventStorePort), DATA_DIR: dataDir };
  const child = startProgram('eventstore', settings);
  await untilAnswers(child, `http://127.0.0.1:${port}/health/ready`);
  return { port, url: `esdb://127.0.0.1:${eventStorePort}?tls=false` };
}

/** Starts a Redis that saves nothing. */
export async function startRedis(dataDir) {
  mkdirSync(dataDir, { recursive: true });
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dataDir, '--save', ''];
  const child = keep(spawn('redis-server', args, { stdio: 'ignore' }));
  const giveUpAt = performance.now() + START_LIMIT_MS;
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`redis-server ended with code ${child.exitCode}`);
    if (performance.now() > giveUpAt) throw new Error('redis-server did not come up');
    await sleep(50);
  }
  return { url: `redis://127.0.0.1:${port}` };
}

function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false)).once('connect', () => resolve(socket.destroy() !== null));
  });
}

function startProgram(name, settings) {
  const env = { ...process.env, NODE_OPTIONS: process.env.BENCH_NODE_OPTIONS ?? '', HOST: '127.0.0.1' };
  for (const variable of [
    'EVENTSTORE_URL',
    'REDIS_URL',
    'PROJECTION_PARTITIONS',
    'PUBLIC_URL',
    'STREAM_PREFIX',
    'ROLES',
  ])
    delete env[variable];
  const args = ['--enable-source-maps', join(root, `dist/apps/${name}/main.js`)];
  const stdio = ['ignore', 'ignore', 'inherit'];
  return keep(spawn(process.execPath, args, { env: { ...env, LOG_LEVEL: 'warn', ...settings }, stdio }));
}

/** Ends one program and waits for it. */
export async function stop(child) {
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
}

/** @param answers one answer of each route, for the bare one to give. */
export async function startBare(answers) {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port), BENCH_ANSWERS: JSON.stringify(answers) };
  const child = keep(fork(join(root, 'bench/bare.mjs'), { env }));
  await untilAnswers(child, `http://127.0.0.1:${port}/api/v2/payments/any`);
  return port;
}

/** The same with what no create can do without; its log lies in `dataDir`. */
export async function startFloor(dataDir, answers) {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port), DATA_DIR: dataDir, BENCH_ANSWERS: JSON.stringify(answers) };
  const child = keep(fork(join(root, 'bench/floor.mjs'), { env }));
  await untilAnswers(child, `http://127.0.0.1:${port}/health/ready`);
  return port;
}

/** A function that has a job done by a process of its own, which runs `bench/<name>.mjs`. */
export function startWorker(name) {
  const { child, run } = startJobs(join(root, `bench/${name}.mjs`));
  keep(child);
  return run;
}

/** A function that loads the server at `port` with a job of `load.mjs`. */
export const startLoad = () => withServerCpu(startWorker('load'));

/** The same jobs; their results also tell `serverCpuMs`, the processor time that each answer cost the server meanwhile. */
export function withServerCpu(work) {
  return async (job) => {
    const before = await cpuSeconds(job.port);
    const result = await work(job);
    const seconds = (await cpuSeconds(job.port)) - before;
    return { ...result, serverCpuMs: (seconds * 1000) / result.answers };
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

/** Processor time that the program has used since it was started, s. */
export async function cpuSeconds(port) {
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
