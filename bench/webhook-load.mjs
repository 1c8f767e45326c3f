// Whole lives of payments, in a process of its own: creates them and waits until receivers have acknowledged their webhooks.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { Connection } from './connection.mjs';
import { serveJobs } from './jobs.mjs';
import { measured, processorShare } from './numbers.mjs';
import { ORDINARY_CARD, Requests } from './requests.mjs';
import { epochMs } from './webhook-clock.mjs';

const ACKNOWLEDGED_WITHIN_MS = 60_000;

const receiver = fork(fileURLToPath(new URL('receiver.mjs', import.meta.url)), { execArgv: [] });
const listening = once(receiver, 'message').then(([{ ports }]) => ports);

/** How long the answers to the creates of this job took. */
let createMs = [];

/** When payments' webhooks were acknowledged, and who waits to hear of it. */
const acknowledgedAt = new Map();
const waiting = new Map();
receiver.on('message', ({ acknowledged }) => {
  for (const [paymentId, at] of acknowledged ?? []) {
    acknowledgedAt.set(paymentId, at);
    waiting.get(paymentId)?.(at);
  }
});

serveJobs(run);

/**
 * @param job {port, credentials, seconds, connections, perSecond?, receivers?}: as many payments under way as there are connections, each
 *   begun when the one before was acknowledged; or, with `perSecond`, payments begun at that rate, whatever becomes of them.
 *   Several ports share the connections, several receivers the webhooks.
 */
async function run({ port, credentials, seconds, connections, perSecond, receivers = 1 }) {
  acknowledgedAt.clear();
  createMs = [];
  const requests = new Requests(credentials);
  const nexts = (await listening).slice(0, receivers).map((receiver) => {
    const notifyUrl = `http://127.0.0.1:${receiver}/webhooks`;
    return requests.of({ create: { card: ORDINARY_CARD, notifyUrl } }).next;
  });
  const ports = [port].flat();
  const open = (_none, index) => Connection.open(ports[index % ports.length]);
  const all = await Promise.all(Array.from({ length: connections }, open));
  const share = processorShare();
  const started = performance.now();
  const until = started + seconds * 1000;
  const lives = perSecond === undefined ? windowOf : pacedBy(perSecond, connections, started);
  const taken = await Promise.all(
    all.map((connection, index) => lives(connection, nexts[index % nexts.length], until, index)),
  );
  const lastAt = Math.max(...acknowledgedAt.values()) - performance.timeOrigin;
  for (const connection of all) connection.close();
  const { p50Ms: createP50Ms, p99Ms: createP99Ms } = measured(createMs, lastAt - started);
  return { ...measured(taken.flat(), lastAt - started), createP50Ms, createP99Ms, loadCpu: share() };
}

async function windowOf(connection, next, until) {
  const taken = [];
  while (performance.now() < until) taken.push(await wholeLife(connection, next()));
  return taken;
}

const pacedBy = (perSecond, connections, started) => async (connection, next, until, index) => {
  const lives = [];
  const everyMs = (connections * 1000) / perSecond;
  for (let at = started + (index * everyMs) / connections; at < until; at += everyMs) {
    await sleep(Math.max(0, at - performance.now()));
    const life = await begun(connection, next());
    lives.push(life.ended);
  }
  return Promise.all(lives);
};

async function wholeLife(connection, request) {
  return (await begun(connection, request)).ended;
}

/** Creates a payment; `ended` is how long after the answer its webhook was acknowledged, ms. */
async function begun(connection, request) {
  const askedAt = performance.now();
  const { head } = await connection.ask(request, 201);
  createMs.push(performance.now() - askedAt);
  const answeredAt = epochMs();
  const [, paymentId] = /^location: .*\/(\w+)/im.exec(head);
  // The webhook may overtake the answer on a busy machine.
  return { ended: acknowledgementOf(paymentId).then((at) => Math.max(0, at - answeredAt)) };
}

function acknowledgementOf(paymentId) {
  const known = acknowledgedAt.get(paymentId);
  if (known !== undefined) return Promise.resolve(known);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`No webhook of ${paymentId} within ${ACKNOWLEDGED_WITHIN_MS / 1000} s`)),
      ACKNOWLEDGED_WITHIN_MS,
    );
    waiting.set(paymentId, (at) => {
      clearTimeout(timer);
      waiting.delete(paymentId);
      resolve(at);
    });
  });
}
