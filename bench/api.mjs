// The merchant's API beside bare Fastify routes that answer with the same bytes, and whole lives of payments.
import { join } from 'node:path';

import { followToTheEnd } from './life-cycle.mjs';
import { startBare, startFloor, startLoad, startService, startWorker, untilIdle } from './processes.mjs';
import { CARD_WITH_3DS, ORDINARY_CARD } from './requests.mjs';
import { inRounds } from './rounds.mjs';

/** At most this many payments are read in turn. */
const MAX_READ = 10_000;
const BATCH = 100;
/** The share of the full rate at which payments are begun to see what a webhook takes where nothing queues. */
const PACED_SHARE = 0.5;

/** @returns results by route, one a round. */
export async function benchApi(dataDir, { seconds, rounds, connections, progress }) {
  const service = await startService(dataDir);
  const load = startLoad();
  const live = startWorker('webhook-load');
  const common = { credentials: service.credentials, connections };
  const ours = { ...common, port: service.port };
  let { open, completed, answers } = await firstAnswers(service, load, ours);
  const bare = { ...common, port: await startBare(answers) };
  const floor = { ...common, port: await startFloor(join(dataDir, 'floor'), answers) };
  let fullRate = 0;
  const routes = {
    bareCreate: (time) => load({ ...bare, seconds: time, ask: { create: { card: CARD_WITH_3DS } } }),
    floorCreate: (time) => load({ ...floor, seconds: time, ask: { create: { card: CARD_WITH_3DS } } }),
    create: async (time) => {
      const result = await load({ ...ours, seconds: time, ask: { create: { card: CARD_WITH_3DS } } });
      open = result.paymentIds.slice(-MAX_READ);
      return result;
    },
    bareRead: (time) => load({ ...bare, seconds: time, ask: { read: open } }),
    read: (time) => load({ ...ours, seconds: time, ask: { read: open } }),
    lifeCycle: async (time) => {
      const result = await load({ ...ours, seconds: time, ask: { create: { card: ORDINARY_CARD } } });
      const whole = await followToTheEnd(service, result, time);
      completed = result.paymentIds.slice(-MAX_READ);
      return { ...result, ...whole };
    },
    bareBatch: (time) => load({ ...bare, seconds: time, ask: { batch: completed } }),
    batch: (time) => load({ ...ours, seconds: time, ask: { batch: completed } }),
    webhook: async (time) => {
      const result = await live({ ...ours, seconds: time });
      fullRate = result.perSecond;
      return result;
    },
    pacedWebhook: (time) => live({ ...ours, seconds: time, perSecond: Math.max(1, fullRate * PACED_SHARE) }),
  };
  return inRounds(routes, { seconds, rounds, progress, settle: () => untilIdle(service.port) });
}

/** Payments of either kind, and what the service answers of them. */
async function firstAnswers(service, load, ours) {
  const once = { ...ours, connections: 1, seconds: 0 };
  const { lastBody: created } = await load({ ...once, ask: { create: { card: CARD_WITH_3DS } } });
  const { lastBody: read } = await load({ ...once, ask: { read: [created.paymentId] } });
  const many = { ...ours, connections: BATCH, seconds: 0 };
  const bought = await load({ ...many, ask: { create: { card: ORDINARY_CARD } } });
  await followToTheEnd(service, bought, 1);
  const { lastBody: batch } = await load({ ...once, ask: { batch: bought.paymentIds } });
  return { open: [created.paymentId], completed: bought.paymentIds, answers: { created, read, batch } };
}
