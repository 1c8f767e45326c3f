import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CuttingProxy } from '@app/stores/testing/cutting-proxy';
import { RedisServer } from '@app/stores/testing/redis/redis-server';
import { AuditorClient, auditorOf } from '../support/auditor-client';
import { AskedService } from '../support/asked-service';
import { EventStoreProcess } from '../support/event-store-process';
import { type MerchantClient, paymentRequest } from '../support/merchant-client';
import type { Change } from '../support/operations';
import { authorized } from '../support/payment-actions';
import { bodyOf, createCompleted } from '../support/payments';
import { sendRaw } from '../support/raw-http';
import { eventually, Service } from '../support/service';
import { WebhookReceiver } from '../support/webhook-receiver';

// What operations answer while something that they need can't be had: with test/api/every-documented-answer.spec.ts and
// test/scenarios/documented-projections.spec.ts, all that the document says of any of them.

let asked: AskedService;
let redis: RedisServer | undefined;
const receivers: WebhookReceiver[] = [];

async function use(service: Service): Promise<void> {
  asked = await AskedService.of(service);
}

afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()));
  await asked.service.stop();
  await asked.service.removeData();
  await redis?.stop();
  redis = undefined;
});

const LISTS = [
  'listPayments',
  'listDisputes',
  'listEvents',
  'readBalances',
  'readStatement',
  'readTrialBalance',
  'listWebhookDeliveries',
  'listAllWebhookDeliveries',
];
const STATEMENT: Change = { path: '/api/v2/balances/statement?currency=EUR' };
const OF_PROJECTIONS = /Rebuild|Projection/;

/** What a list has to be asked for. */
function asking(operationId: string): Change {
  return operationId === 'readStatement' ? STATEMENT : {};
}

function removeReadModels(): void {
  const { dataDir } = asked.service;
  for (const name of readdirSync(dataDir)) {
    if (name.startsWith('read-models.sqlite')) rmSync(join(dataDir, name));
  }
}

/** A webhook that was delivered. */
async function delivered(): Promise<string> {
  const receiver = await WebhookReceiver.start();
  receivers.push(receiver);
  await createCompleted(asked.client, { notifyUrl: receiver.url });
  return eventually('a delivery', async () => {
    const list = await asked.client.send('GET', '/api/v2/webhook-deliveries?status=DELIVERED', undefined, {}, false);
    return bodyOf<{ items: readonly { readonly deliveryId: string }[] }>(list, 200).items[0]?.deliveryId;
  });
}

type Changes = ReadonlyMap<string, Change>;

/** What would change the stream of a delivery, which is found in a read model. */
async function redeliveries(): Promise<Changes> {
  const deliveryId = await delivered();
  const range = { from: '2020-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z', status: 'DELIVERED' };
  return new Map<string, Change>([
    ['redeliverWebhook', { path: `/api/v2/webhook-deliveries/${deliveryId}/redeliver` }],
    ['redeliverAnyWebhook', { path: `/admin/v1/webhook-deliveries/${deliveryId}/redeliver` }],
    ['redeliverWebhooks', { body: JSON.stringify(range) }],
  ]);
}

/** Reads of one delivery, which is found in a read model. */
async function deliveryReads(): Promise<Changes> {
  const deliveryId = await delivered();
  return new Map<string, Change>([
    ['readWebhookDelivery', { path: `/api/v2/webhook-deliveries/${deliveryId}` }],
    ['readAnyWebhookDelivery', { path: `/admin/v1/webhook-deliveries/${deliveryId}` }],
  ]);
}

/** What would change something else, each of the operations that do, and asks the log alone what there is. */
async function changes(): Promise<Changes> {
  const { client, operator } = asked;
  const { merchantId } = client.credentials;
  const [completed, toCapture, toCancel] = await Promise.all([
    createCompleted(client),
    authorized(client),
    authorized(client),
  ]);
  const [toSuspend, toReinstate] = await Promise.all(['One', 'Two'].map((name) => operator.register(name)));
  const of = ({ credentials }: MerchantClient, rest: string) => ({
    path: `/admin/v1/merchants/${credentials.merchantId}${rest}`,
  });
  bodyOf(await operator.send('POST', `/merchants/${toReinstate!.credentials.merchantId}/suspend`, {}), 200);
  const token = bodyOf<{ tokenId: string }>(await operator.send('POST', `/merchants/${merchantId}/tokens`, {}), 201);
  const { auditor: toRevoke } = await AuditorClient.register(asked.service);
  const payment = ({ paymentId }: { readonly paymentId: string }, rest: string) => ({
    path: `/api/v2/payments/${paymentId}/${rest}`,
  });
  const merchant = (rest: string) => ({ path: `/admin/v1/merchants/${merchantId}${rest}` });
  return new Map<string, Change>([
    ['createPayment', { body: JSON.stringify(paymentRequest()), headers: { 'Idempotency-Key': randomUUID() } }],
    ['createRefund', { ...payment(completed, 'refunds'), body: '{"amount":{"value":"1.00","currency":"EUR"}}' }],
    ['capturePayment', { ...payment(toCapture, 'capture'), body: '{}' }],
    ['cancelPayment', { ...payment(toCancel, 'cancel'), body: '{}' }],
    ['registerMerchant', { body: '{"merchantId":"mer_new","name":"New"}' }],
    ['changeMerchant', { ...merchant(''), body: '{"rotationGraceSeconds":7}' }],
    ['suspendMerchant', of(toSuspend!, '/suspend')],
    ['reinstateMerchant', of(toReinstate!, '/reinstate')],
    ['rotateSigningSecret', merchant('/signing-secret/rotate')],
    ['rotateWebhookSecret', merchant('/webhook-secret/rotate')],
    ['issueToken', merchant('/tokens')],
    ['revokeToken', merchant(`/tokens/${token.tokenId}`)],
    ['revokeAuditor', { path: `/admin/v1/auditors/${toRevoke.auditorId}` }],
  ]);
}

/** Keeps everybody else from writing to the log. @returns what lets them. */
function lockLog(dataDir: string): () => void {
  const log = new DatabaseSync(join(dataDir, 'events.sqlite'), { timeout: 5_000 });
  log.exec('BEGIN IMMEDIATE');
  return () => {
    log.exec('ROLLBACK');
    log.close();
  };
}

it('what changes something is refused while the log cannot be written', async () => {
  await use(await Service.start());
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const registerAuditor = { body: JSON.stringify({ name: 'New', expiresAt }) };
  const wanted = new Map([...(await changes()), ...(await redeliveries()), ['registerAuditor', registerAuditor]]);
  // What an auditor reads is recorded before it is given.
  const ofAuditors = [...asked.operations.values()].filter(({ access }) => access === 'auditor');
  for (const { operationId } of ofAuditors) wanted.set(operationId, {});
  const unlock = lockLog(asked.service.dataDir);
  // One by one: those of one stream would wait for each other.
  for (const [operationId, change] of wanted) {
    expect(await asked.ask(operationId, change)).toBe(`${operationId} 503 EVENT_STORE_UNAVAILABLE`);
  }
  unlock();
  const isReady = async () => (await fetch(`${asked.service.url}/health/ready`)).ok;
  await eventually('the service to be ready', isReady);
  expect(await asked.ask('createPayment', wanted.get('createPayment'))).toBe('createPayment 201');
});

it('what is read from a model is refused at the moment in which that is found to be lost', async () => {
  await use(await Service.start());
  await delivered();
  for (const operationId of LISTS) {
    // Now and then the service itself finds it out first, and the list is being rebuilt.
    const answer = await eventually(`${operationId} to be the first to miss the file`, async () => {
      await eventually('the list', async () => (await asked.ask(operationId, asking(operationId))).endsWith(' 200'));
      removeReadModels();
      const given = await asked.ask(operationId, asking(operationId));
      return given.endsWith('BUSY') && given;
    });
    expect(answer).toBe(`${operationId} 503 BUSY`);
  }
});

it('what is read from a model is refused while Redis is away, and all else is done without it', async () => {
  redis = await RedisServer.start();
  await use(await Service.start({ env: { REDIS_URL: redis.url } }));
  const [fromLog, fromModels] = [await changes(), new Map([...(await redeliveries()), ...(await deliveryReads())])];
  await redis.goAway();
  for (const operationId of [...LISTS, ...fromModels.keys()]) {
    expect(await asked.ask(operationId, fromModels.get(operationId) ?? asking(operationId))).toBe(
      `${operationId} 503 BUSY`,
    );
  }
  for (const [operationId, change] of fromLog) {
    expect(await asked.ask(operationId, change)).toMatch(new RegExp(`^${operationId} 20[0124]$`));
  }
  const others = asked.withCode('BUSY').filter((operationId) => !OF_PROJECTIONS.test(operationId));
  expect([...LISTS, ...fromModels.keys(), ...fromLog.keys()].sort()).toEqual([...others].sort());
});

describe('an event store of its own', () => {
  let eventStore: EventStoreProcess;
  let line: CuttingProxy;

  beforeEach(async () => {
    eventStore = await EventStoreProcess.start();
    line = await CuttingProxy.to(eventStore.port);
    await use(await Service.start({ env: { EVENTSTORE_URL: line.url } }));
  });
  afterEach(async () => {
    await line.goAway();
    await eventStore.kill();
    eventStore.removeData();
  });

  /**
   * An append is tried again for 4 s or so before it fails, and those on its stream wait for that: when the second one has
   * failed, whoever still waits has done so for more than 5 s.
   */
  const WAITING = 4;

  it('that can be read and not written lets others wait, and refuses those who have waited for too long', async () => {
    const wanted = await changes();
    const unlock = lockLog(eventStore.dataDir);
    const given = await Promise.all(
      [...wanted].map(async ([operationId, change]) => {
        const answers = new Set<string>();
        // As many wait all the time, however slowly requests come in.
        const insist = async () => {
          while (!answers.has(`${operationId} 503 BUSY`)) answers.add(await asked.ask(operationId, change));
        };
        await Promise.all(Array.from({ length: WAITING }, insist));
        return [...answers];
      }),
    );
    unlock();
    const allowed = [...wanted.keys()].flatMap((operationId) =>
      ['BUSY', 'EVENT_STORE_UNAVAILABLE'].map((code) => `${operationId} 503 ${code}`),
    );
    expect(given.flat().filter((answer) => !allowed.includes(answer))).toEqual([]);
    expect(await asked.ask('createPayment', wanted.get('createPayment'))).toBe('createPayment 201');
  });

  /** Requests that get to where the log or a read model is asked. */
  async function reads(): Promise<Changes> {
    const { merchantId } = asked.client.credentials;
    const found = [...(await redeliveries()), ...(await deliveryReads())];
    await createCompleted(asked.client);
    const first = await asked.client.send('GET', '/api/v2/payments?limit=1', undefined, {}, false);
    const { nextCursor } = bodyOf<{ nextCursor: string }>(first, 200);
    return new Map<string, Change>([
      ...found,
      // Its first page also waits for the log.
      ['listPayments', { path: `/api/v2/payments?limit=1&cursor=${nextCursor}` }],
      ['readStatement', STATEMENT],
      ['readMerchant', { path: `/admin/v1/merchants/${merchantId}` }],
      ['listTokens', { path: `/admin/v1/merchants/${merchantId}/tokens` }],
      ['readAuditor', { path: `/admin/v1/auditors/${(await auditorOf(asked.service)).auditor.auditorId}` }],
    ]);
  }

  function withoutKey(change: Changes, operationIds: readonly string[]): Changes {
    const headers = { 'Idempotency-Key': null };
    return new Map(operationIds.map((operationId) => [operationId, { ...change.get(operationId), headers }]));
  }

  async function expectEach(code: string, operationIds: readonly string[], change: Changes) {
    const given = await Promise.all(operationIds.map((operationId) => asked.ask(operationId, change.get(operationId))));
    expect(given).toEqual(operationIds.map((operationId) => `${operationId} 503 ${code}`));
  }

  it('that is away is told by all that need it, also while what was built from it is lost, and from the start', async () => {
    const change = await reads();
    await line.goAway();
    const ofTheOperator = [
      'listMerchants',
      'listAuditors',
      'readAuditor',
      'readMerchant',
      'listTokens',
      'readAnyWebhookDelivery',
      'redeliverAnyWebhook',
      'redeliverWebhooks',
    ];
    await expectEach('EVENT_STORE_UNAVAILABLE', ofTheOperator, change);
    // Which deliveries are a payment's is told by the payment's own events.
    const ofPayment = { path: `/admin/v1/webhook-deliveries?paymentId=pay_${'0'.repeat(26)}` };
    await expectEach(
      'EVENT_STORE_UNAVAILABLE',
      ['listAllWebhookDeliveries'],
      new Map([['listAllWebhookDeliveries', ofPayment]]),
    );
    removeReadModels();
    const hasNoticed = async () => (await asked.ask('readBalances')).endsWith('REBUILDING');
    await eventually('the loss to be noticed', hasNoticed);
    const readModels = asked.withCode('READ_MODEL_REBUILDING');
    await expectEach('READ_MODEL_REBUILDING', readModels, withoutKey(change, readModels));
    // With a key, the log is asked first whether it was done already.
    const redelivers = readModels.filter((operationId) => operationId.startsWith('redeliver'));
    await expectEach('EVENT_STORE_UNAVAILABLE', redelivers, change);
    const { service } = asked;
    await service.stop();
    const restarted = service.restart({ EVENTSTORE_URL: line.url });
    restarted.catch(() => undefined);
    await eventually('a sign of life', async () => (await fetch(`${service.url}/health/live`).catch(() => null))?.ok);
    const tokens = ['merchant', 'auditor'];
    const withTokens = [...asked.operations.values()].filter(({ access }) => tokens.includes(access));
    const operationIds = withTokens.map(({ operationId }) => operationId);
    await expectEach('EVENT_STORE_UNAVAILABLE', operationIds, new Map());
    const readiness = await sendRaw(service.url, { method: 'GET', path: '/health/ready' });
    expect(readiness.status).toBe(503);
    await line.comeBack();
    await use(await restarted);
    expect(await asked.ask('listPayments')).toBe('listPayments 200');
  });
});
