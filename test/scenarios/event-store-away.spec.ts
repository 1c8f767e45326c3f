import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SeededRandom } from '@app/platform/testing';
import { CuttingProxy } from '@app/stores/testing/cutting-proxy';
import { problemsOfLog, readLog } from '../support/event-log';
import { EventStoreProcess } from '../support/event-store-process';
import { Load, newSeed } from '../support/load';
import { MerchantClient, paymentRequest } from '../support/merchant-client';
import { problemsOf, untilSettled } from '../support/outcome';
import { createCompleted } from '../support/payments';
import { eventually, freePort, Service, type ServiceOptions } from '../support/service';

const PREFIX = 'run.';
const KILLS = 3;
/** Of the service that is started while the store is away. */
const LATE_PREFIX = 'late.';
/** Longer than the service repeats what it asks of the store, so that requests are refused. */
const AWAY_MS = 20_000;

let eventStore: EventStoreProcess;
let proxy: CuttingProxy;
let service: Service | undefined;
let late: Service | undefined;
let load: Load | undefined;

beforeEach(async () => {
  eventStore = await EventStoreProcess.start();
  proxy = await CuttingProxy.to(eventStore.port);
});

afterEach(async () => {
  load?.abandon();
  for (const one of [service, late]) {
    await one?.kill();
    await one?.removeData();
  }
  late = undefined;
  await proxy.goAway();
  await eventStore.kill();
  eventStore.removeData();
});

const start = ({ env, ...options }: ServiceOptions = {}) =>
  Service.start({ env: { EVENTSTORE_URL: proxy.url, STREAM_PREFIX: PREFIX, ...env }, ...options });

function beginLoad(on: Service): Load {
  const seed = newSeed();
  process.stdout.write(`event store away: SEED=${seed}\n`);
  return new Load({
    client: new MerchantClient(on.url, on.credentials),
    random: new SeededRandom(seed),
    merchants: 8,
    cards: { completes: 10, declined: 2, challenge: 2, captureRefused: 1 },
  });
}

async function expectAllDoneOnce(on: Service, all: Load): Promise<void> {
  const client = new MerchantClient(on.url, on.credentials);
  await untilSettled(client, all.acknowledged, 70_000);
  expect(await problemsOf(all, client, on.dataDir)).toEqual([]);
  // The prefix is how the store is shared, and no part of what an event's hash covers; the store's own events have neither.
  const log = (await readLog(eventStore.dataDir))
    .filter(({ streamId }) => !streamId.startsWith('$') && !streamId.startsWith(LATE_PREFIX))
    .map((event, index) => {
      expect(event.streamId.startsWith(PREFIX)).toBe(true);
      return { ...event, streamId: event.streamId.slice(PREFIX.length), position: index + 1 };
    });
  expect(problemsOfLog(log)).toEqual([]);
}

/** A service that is started while the store is away says so, and answers nothing else. */
async function startWithoutStore(): Promise<{ readonly starting: Promise<Service> }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const dataDir = mkdtempSync(join(tmpdir(), 'counterfoil-'));
  const env = { PORT: String(port), STREAM_PREFIX: LATE_PREFIX };
  const starting = start({ env, dataDir, readyWithinMs: 3 * AWAY_MS });
  starting.catch(() => undefined);
  const ask = (path: string) => fetch(url + path, { headers: { authorization: 'Bearer whoever' } }).catch(() => null);
  await eventually('a sign of life', async () => (await ask('/health/live'))?.ok);
  const ready = await ask('/health/ready');
  expect(ready?.status).toBe(503);
  const { reasons } = (await ready?.json()) as { reasons: readonly object[] };
  expect(reasons).toContainEqual({ name: 'start', reason: 'waiting for the event store' });
  const answer = await ask('/api/v2/payments');
  expect([answer?.status, Number(answer?.headers.get('retry-after')) > 0]).toEqual([503, true]);
  expect(await answer?.json()).toMatchObject({ error: { code: 'EVENT_STORE_UNAVAILABLE' } });
  return { starting };
}

it('answers 503 while its store is away, in flight and from its start, and recovers by itself', async () => {
  service = await start();
  const { url } = service;
  load = beginLoad(service);
  const client = new MerchantClient(service.url, service.credentials);
  await load.progress(40);
  await proxy.goAway();
  const refused = client.createPayment(paymentRequest({}));
  const { starting } = await startWithoutStore();
  // Counted from when it listens: its first try takes some seconds, and only then it logs that it waits.
  await sleep(AWAY_MS);
  const readiness = () => fetch(`${url}/health/ready`);
  const unready = await readiness();
  expect(unready.status).toBe(503);
  const { reasons } = (await unready.json()) as { readonly reasons: readonly { readonly name: string }[] };
  expect(reasons.map(({ name }) => name)).toContain('projections');
  await proxy.comeBack();
  await eventually('readiness', async () => (await readiness()).ok, 5_000);
  late = await starting;
  expect(late.log).toContain('waiting for the event store');
  await createCompleted(new MerchantClient(late.url, late.credentials));
  const { status, headers, body } = await refused;
  expect([status, body]).toMatchObject([503, { error: { code: 'EVENT_STORE_UNAVAILABLE' } }]);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  await load.progress(20);
  await load.finish();
  expect(load.unanswered).toBeGreaterThan(0);
  await expectAllDoneOnce(service, load);
  // A store that is away is no defect of ours.
  expect([...service.errors, ...late.errors]).toEqual([]);
}, 200_000);

it('loses nothing and does nothing twice when its store is killed in the middle of the work', async () => {
  service = await start();
  load = beginLoad(service);
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await load.progress(60);
    await eventStore.kill();
    eventStore = await eventStore.restart();
    for (let cut = 0; cut < 3; cut += 1) {
      await load.progress(5);
      proxy.cut();
    }
  }
  await load.progress(20);
  await load.finish();
  await expectAllDoneOnce(service, load);
  expect(service.errors).toEqual([]);
}, 150_000);
