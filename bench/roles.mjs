// Whole lives of payments in one process beside the same with each role in a process of its own, and with two of a role; and
// what a payment costs each role and each store.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { startDeployment } from './deployment.mjs';
import { cpuSeconds, startService, startWorker, untilIdle } from './processes.mjs';
import { CARD_WITH_3DS } from './requests.mjs';
import { inRounds } from './rounds.mjs';

/** One alone gets few webhooks at a time, which would be the limit. */
const RECEIVERS = 8;
const IDLE_SECONDS = 5;
/** A process that was just started gets the load for this long before it is measured, s. */
const WARM_UP_SECONDS = 3;

/** @returns results by route, one a round; what nothing at all costs, and a payment, listened to once. */
export async function benchRoles(parent, { seconds, rounds, connections, progress }) {
  const service = await startService(join(parent, 'embedded'));
  const deployment = await startDeployment(join(parent, 'distributed'));
  const live = startWorker('webhook-load');
  const { port, credentials } = service;
  const embedded = {
    used: async () => ({ wholeCpuMs: (await cpuSeconds(port)) * 1000 }),
    untilIdle: () => untilIdle(port),
  };
  const onRoles = (time, options) =>
    live({
      port: deployment.apiPorts,
      credentials: deployment.credentials,
      connections,
      receivers: RECEIVERS,
      seconds: time,
      ...options,
    });
  const withOneMore = async (role, time, options) => {
    await deployment.add(role);
    await onRoles(WARM_UP_SECONDS, options);
    const result = await costOf(deployment, () => onRoles(time, options));
    await deployment.remove(role);
    return result;
  };
  const routes = {
    embedded: (time) =>
      costOf(embedded, () => live({ port, credentials, connections, receivers: RECEIVERS, seconds: time })),
    oneApi: (time) => costOf(deployment, () => onRoles(time)),
    twoApis: (time) => withOneMore('api', time),
    twoProjectors: (time) => withOneMore('projector', time),
    oneReceiver: (time) => costOf(deployment, () => onRoles(time, { receivers: 1 })),
    twoWebhooks: (time) => withOneMore('webhooks', time, { receivers: 1 }),
  };
  const results = await inRounds(routes, { seconds, rounds, progress, settle: () => deployment.untilIdle() });
  progress('what is sent to Redis, and what a create alone costs');
  const idle = await idleCost(deployment);
  const sent = {
    many: await sentBy(deployment, () => onRoles(seconds)),
    one: await sentBy(deployment, () => onRoles(seconds, { connections: 1 })),
  };
  const types = deployment.log.types();
  const create = await createsAlone(deployment, { seconds, connections });
  deployment.close();
  return { results, idle, sent, types, create };
}

/** What `work` gives, and what was used for each of its answers until all that followed from them was done. */
async function costOf(measured, work) {
  await measured.untilIdle();
  const before = await measured.used();
  const result = await work();
  await measured.untilIdle();
  const after = await measured.used();
  const each = Object.keys(after).map((name) => [name, (after[name] - (before[name] ?? 0)) / result.answers]);
  return { ...result, ...Object.fromEntries(each) };
}

/** What is used in a second in which nothing happens. */
async function idleCost(deployment) {
  await deployment.untilIdle();
  return costOf({ used: () => deployment.used(), untilIdle: async () => undefined }, async () => {
    await sleep(IDLE_SECONDS * 1000);
    return { answers: IDLE_SECONDS };
  });
}

/** How often each role sends each command or script, for a payment. */
async function sentBy({ redis }, work) {
  const { result, sent } = await redis.listen(work);
  return sent.map(([role, command, count]) => ({ role, command, each: count / result.answers }));
}

/** Of payments that wait for their customers; the last of all, since later they are looked for again and again. */
async function createsAlone(deployment, { seconds, connections }) {
  const { apiPorts, credentials } = deployment;
  const job = { port: apiPorts[0], credentials, connections, seconds, ask: { create: { card: CARD_WITH_3DS } } };
  const load = startWorker('load');
  return costOf(deployment, () => load(job));
}
