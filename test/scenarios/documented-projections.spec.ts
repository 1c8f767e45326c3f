import { randomUUID } from 'node:crypto';
import { CuttingProxy } from '@app/stores/testing/cutting-proxy';
import { RedisServer } from '@app/stores/testing/redis/redis-server';
import { AskedService } from '../support/asked-service';
import { EventStoreProcess } from '../support/event-store-process';
import type { Change } from '../support/operations';
import { bodyOf, createCompleted } from '../support/payments';
import { type FailingEvent, appendFailingEvent } from '../support/failing-event';
import { eventually, Service } from '../support/service';
import { spoilRecordedAnswers } from '../support/spoiled-streams';

// What the operations of projections answer where one has stopped, and where a store is away: an event that one of them can't
// digest keeps it where it is for as long as the test wants. What is refused of any request has its test with the others.

let eventStore: EventStoreProcess;
let line: CuttingProxy;
let redis: RedisServer;
let asked: AskedService;
let failing: FailingEvent;

beforeAll(async () => {
  eventStore = await EventStoreProcess.start();
  line = await CuttingProxy.to(eventStore.port);
  redis = await RedisServer.start();
  const stores = { EVENTSTORE_URL: line.url, REDIS_URL: redis.url };
  asked = await AskedService.of(await Service.start({ env: stores }));
  await createCompleted(asked.client);
  await asked.service.stop();
  await eventStore.kill();
  failing = await appendFailingEvent(
    { logDir: eventStore.dataDir, dataDir: asked.service.dataDir },
    asked.service.credentials.merchantId,
  );
  eventStore = await eventStore.restart();
  asked = await AskedService.of(await asked.service.restart(stores));
  await untilStopped('active');
});

afterAll(async () => {
  await asked.service.stop();
  await asked.service.removeData();
  await line.goAway();
  await eventStore.kill();
  eventStore.removeData();
  await redis.stop();
});

type Kind = 'active' | 'building';

interface Projection {
  readonly name: string;
  readonly partitions: readonly Readonly<Record<Kind, { readonly stopped: object | null } | null>>[];
}

async function partitions() {
  const answer = await asked.operator.send('GET', '/projections');
  return bodyOf<{ items: readonly Projection[] }>(answer, 200).items.find(({ name }) => name === 'balances')!
    .partitions;
}

async function untilStopped(kind: Kind): Promise<void> {
  const hasStopped = async () => (await partitions()).some((partition) => (partition[kind]?.stopped ?? null) !== null);
  await eventually(`balances to stop (${kind})`, hasStopped);
}

const ask = (operationId: string, change: Change = {}) => {
  const path = asked.operations.get(operationId)?.path.replace('unknown', 'balances');
  return asked.ask(operationId, { ...(path === undefined ? {} : { path }), ...change });
};
/** What was asked for and done, under a key of its own. */
const done = new Map<string, Change>();

async function askOnce(operationId: string, change: Change = {}): Promise<string> {
  const keyed = { ...change, headers: { 'Idempotency-Key': randomUUID() } };
  const answer = await ask(operationId, keyed);
  if (/ 20\d$/.test(answer)) done.set(operationId, keyed);
  return answer;
}

const skipAt = (position: string): Change => ({ body: JSON.stringify({ position, reason: 'written by hand' }) });

/** A rebuild that stops at the event, and is there for as long as nobody cancels it. */
async function beginRebuild(): Promise<void> {
  expect(await askOnce('rebuildProjection')).toBe('rebuildProjection 202');
  await untilStopped('building');
}

it('a rebuild that has stopped is the only one, and can be given up', async () => {
  await beginRebuild();
  expect(await ask('rebuildProjection')).toBe('rebuildProjection 409 REBUILD_IN_PROGRESS');
  expect(await askOnce('cancelRebuild')).toBe('cancelRebuild 200');
  expect(await ask('cancelRebuild')).toBe('cancelRebuild 409 NO_REBUILD_IN_PROGRESS');
});

it('while the event store is away, all of it is refused', async () => {
  await beginRebuild();
  await line.goAway();
  const changes: readonly (readonly [string, Change])[] = [
    ['listProjections', {}],
    // Of another one, as the first thing asked is whether it is being built already.
    ['rebuildProjection', { path: '/admin/v1/projections/payments/rebuild' }],
    ['skipProjectionEvent', skipAt(failing.position)],
    // These do what they are asked for, and can't tell how the projection stands then.
    ['cancelRebuild', {}],
    ['retryProjection', {}],
  ];
  for (const [operationId, change] of changes) {
    expect(await ask(operationId, change)).toBe(`${operationId} 503 EVENT_STORE_UNAVAILABLE`);
  }
  await line.comeBack();
  await eventually('the list', async () => (await ask('listProjections')) === 'listProjections 200');
  await untilStopped('active');
});

it('what has stopped tries again, and goes on behind the event that is skipped, and no other', async () => {
  expect(await askOnce('retryProjection')).toBe('retryProjection 202');
  await untilStopped('active');
  const before = String(BigInt(failing.position) - 1n);
  const refused = 'skipProjectionEvent 409 PROJECTION_STOPPED_ELSEWHERE';
  expect(await ask('skipProjectionEvent', skipAt(before))).toBe(refused);
  expect(await askOnce('skipProjectionEvent', skipAt(failing.position))).toBe('skipProjectionEvent 202');
  const goesOn = async () => (await partitions()).every(({ active }) => active !== null && active.stopped === null);
  await eventually('balances to go on', goesOn);
  expect(await ask('retryProjection')).toBe('retryProjection 409 PROJECTION_NOT_STOPPED');
});

it('a repetition is refused for other content, and where the first answer is not as it was recorded', async () => {
  const skip = done.get('skipProjectionEvent');
  const other = { ...skip, body: skipAt('1').body! };
  expect(await ask('skipProjectionEvent', other)).toBe('skipProjectionEvent 422 IDEMPOTENCY_KEY_REUSED');
  await spoilRecordedAnswers(eventStore);
  const refused = [...done.keys()].sort();
  expect(refused).toEqual(
    asked
      .withCode('HISTORY_DAMAGED')
      .filter((name) => /Rebuild|Projection/.test(name))
      .sort(),
  );
  for (const operationId of refused) {
    expect(await ask(operationId, done.get(operationId))).toBe(`${operationId} 409 HISTORY_DAMAGED`);
  }
});

it('while Redis is away, all of it is refused', async () => {
  await redis.goAway();
  const operationIds = [
    'listProjections',
    'rebuildProjection',
    'cancelRebuild',
    'retryProjection',
    'skipProjectionEvent',
  ];
  for (const operationId of operationIds) expect(await ask(operationId)).toBe(`${operationId} 503 BUSY`);
});
