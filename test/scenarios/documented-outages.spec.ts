import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CuttingProxy } from '@app/storage/testing/cutting-proxy';
import { EventStoreProcess } from '../support/event-store-process';
import { MerchantClient, paymentRequest } from '../support/merchant-client';
import { loadOpenApi } from '../support/openapi-conformance';
import { answerOf, askOperation, type Change, type Operation, operationsOf } from '../support/operations';
import { OperatorClient } from '../support/operator-client';
import { authorized } from '../support/payment-actions';
import { bodyOf, createCompleted } from '../support/payments';
import { sendRaw } from '../support/raw-http';
import { eventually, Service } from '../support/service';
import { WebhookReceiver } from '../support/webhook-receiver';

// What operations answer while something that they need can't be had: with test/api/every-documented-answer.spec.ts, all that
// the document says of any of them.

let service: Service;
let client: MerchantClient;
let operator: OperatorClient;
let operations: ReadonlyMap<string, Operation>;
let documented: readonly string[];
const receivers: WebhookReceiver[] = [];

async function use(started: Service): Promise<void> {
  service = started;
  client = new MerchantClient(service.url, service.credentials);
  operator = new OperatorClient(service);
  const judge = await loadOpenApi(service.url);
  operations = new Map(operationsOf(judge.document).map((operation) => [operation.operationId, operation]));
  ({ documented } = judge);
}

afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()));
  await service.stop();
  await service.removeData();
});

/** The operations that document the code, of all or of these only. */
function withCode(code: string, among: readonly string[] = [...operations.keys()]): readonly string[] {
  return among.filter((operationId) =>
    documented.some((pair) => pair.startsWith(`${operationId} `) && pair.endsWith(` ${code}`)),
  );
}

async function ask(operationId: string, change: Change = {}): Promise<string> {
  const operation = operations.get(operationId);
  if (operation === undefined) throw new Error(`There is no operation ${operationId}`);
  return answerOf(operation, await askOperation(service, operation, change));
}

function removeReadModels(): void {
  for (const name of readdirSync(service.dataDir)) {
    if (name.startsWith('read-models.sqlite')) rmSync(join(service.dataDir, name));
  }
}

/** A webhook that was delivered. */
async function delivered(): Promise<string> {
  const receiver = await WebhookReceiver.start();
  receivers.push(receiver);
  await createCompleted(client, { notifyUrl: receiver.url });
  return eventually('a delivery', async () => {
    const list = await client.send('GET', '/api/v2/webhook-deliveries?status=DELIVERED', undefined, {}, false);
    return bodyOf<{ items: readonly { readonly deliveryId: string }[] }>(list, 200).items[0]?.deliveryId;
  });
}

const DELIVERED_EVER = JSON.stringify({
  from: '2020-01-01T00:00:00Z',
  to: '2099-01-01T00:00:00Z',
  status: 'DELIVERED',
});

/** A change that would be made, for each operation that changes something. */
async function changes(): Promise<ReadonlyMap<string, Change>> {
  const { merchantId } = client.credentials;
  const [completed, toCapture, toCancel, deliveryId] = await Promise.all([
    createCompleted(client),
    authorized(client),
    authorized(client),
    delivered(),
  ]);
  const token = bodyOf<{ tokenId: string }>(await operator.send('POST', `/merchants/${merchantId}/tokens`, {}), 201);
  const payment = ({ paymentId }: { readonly paymentId: string }, rest: string) => ({
    path: `/api/v2/payments/${paymentId}/${rest}`,
  });
  const merchant = (rest: string) => ({ path: `/admin/v1/merchants/${merchantId}${rest}` });
  return new Map<string, Change>([
    ['createPayment', { body: JSON.stringify(paymentRequest()), headers: { 'Idempotency-Key': randomUUID() } }],
    ['createRefund', { ...payment(completed, 'refunds'), body: '{"amount":{"value":"1.00","currency":"EUR"}}' }],
    ['capturePayment', { ...payment(toCapture, 'capture'), body: '{}' }],
    ['cancelPayment', { ...payment(toCancel, 'cancel'), body: '{}' }],
    ['redeliverWebhook', { path: `/api/v2/webhook-deliveries/${deliveryId}/redeliver` }],
    ['redeliverAnyWebhook', { path: `/admin/v1/webhook-deliveries/${deliveryId}/redeliver` }],
    ['redeliverWebhooks', { body: DELIVERED_EVER }],
    ['registerMerchant', { body: '{"merchantId":"mer_new","name":"New"}' }],
    ['changeMerchant', { ...merchant(''), body: '{"rotationGraceSeconds":7}' }],
    ['rotateSigningSecret', merchant('/signing-secret/rotate')],
    ['rotateWebhookSecret', merchant('/webhook-secret/rotate')],
    ['issueToken', merchant('/tokens')],
    ['revokeToken', merchant(`/tokens/${token.tokenId}`)],
  ]);
}

/** Each of them waits a quarter of a second for the lock, one after the other on its stream: the last for over 5 s. */
const WAITING_PER_OPERATION = 30;

/** Keeps so many requests waiting, however slowly they come in, until one of them was given the answer. @returns all answers. */
async function pressUntil(wanted: string, operationId: string, change: Change): Promise<ReadonlySet<string>> {
  const met = new Set<string>();
  const press = async () => {
    while (!met.has(wanted)) met.add(await ask(operationId, change));
  };
  await Promise.all(Array.from({ length: WAITING_PER_OPERATION }, press));
  return met;
}

it('what changes something is refused while the log cannot be written, and where too many wait for that', async () => {
  await use(await Service.start({ env: { RATE_LIMIT: 'off' } }));
  const wanted = await changes();
  const log = new DatabaseSync(join(service.dataDir, 'events.sqlite'), { timeout: 5_000 });
  log.exec('BEGIN IMMEDIATE');
  const unavailable = (operationId: string) => `${operationId} 503 EVENT_STORE_UNAVAILABLE`;
  const once = await Promise.all([...wanted].map(([operationId, change]) => ask(operationId, change)));
  expect(once).toEqual([...wanted.keys()].map(unavailable));
  const pressed = [...wanted].map(async ([operationId, change]) => {
    const busy = `${operationId} 503 BUSY`;
    const others = [...(await pressUntil(busy, operationId, change))].filter((answer) => answer !== busy);
    expect(others.filter((answer) => answer !== unavailable(operationId))).toEqual([]);
  });
  await Promise.all(pressed);
  log.exec('ROLLBACK');
  log.close();
  await eventually('the service to be ready', async () => (await fetch(`${service.url}/health/ready`)).ok);
  expect(await ask('createPayment', wanted.get('createPayment'))).toBe('createPayment 201');
}, 120_000);

it('what is read from a model is refused at the moment in which that is found to be lost', async () => {
  await use(await Service.start());
  await delivered();
  const lists = ['listPayments', 'listEvents', 'readBalances', 'listWebhookDeliveries', 'listAllWebhookDeliveries'];
  for (const operationId of lists) {
    // Now and then the service itself finds it out first, and the list is being rebuilt.
    const answer = await eventually(`${operationId} to be the first to miss the file`, async () => {
      await eventually('the list', async () => (await ask(operationId)).endsWith(' 200'));
      removeReadModels();
      const given = await ask(operationId);
      return given.endsWith('BUSY') && given;
    });
    expect(answer).toBe(`${operationId} 503 BUSY`);
  }
  // Those of projections: documented-projection-outages.spec.ts.
  const others = withCode('BUSY').filter((operationId) => !/Rebuild|Projection/.test(operationId));
  expect([...lists, ...(await changes()).keys()].sort()).toEqual([...others].sort());
}, 60_000);

describe('an event store that is away', () => {
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

  /** Requests that get to where the log or a read model is asked. */
  async function reads(): Promise<Readonly<Record<string, Change>>> {
    const { merchantId } = client.credentials;
    const deliveryId = await delivered();
    await createCompleted(client);
    const first = await client.send('GET', '/api/v2/payments?limit=1', undefined, {}, false);
    const { nextCursor } = bodyOf<{ nextCursor: string }>(first, 200);
    return {
      // Its first page also waits for the log.
      listPayments: { path: `/api/v2/payments?limit=1&cursor=${nextCursor}` },
      redeliverWebhook: { path: `/api/v2/webhook-deliveries/${deliveryId}/redeliver` },
      redeliverAnyWebhook: { path: `/admin/v1/webhook-deliveries/${deliveryId}/redeliver` },
      redeliverWebhooks: { body: DELIVERED_EVER },
      readMerchant: { path: `/admin/v1/merchants/${merchantId}` },
      listTokens: { path: `/admin/v1/merchants/${merchantId}/tokens` },
    };
  }

  async function expectEach(code: string, operationIds: readonly string[], change: Readonly<Record<string, Change>>) {
    const given = await Promise.all(operationIds.map((operationId) => ask(operationId, change[operationId])));
    expect(given).toEqual(operationIds.map((operationId) => `${operationId} 503 ${code}`));
  }

  it('is told by all that need it, also while what was built from it is lost, and from the start', async () => {
    const change = await reads();
    await line.goAway();
    const ofTheOperator = ['readMerchant', 'listTokens', 'redeliverAnyWebhook', 'redeliverWebhooks'];
    await expectEach('EVENT_STORE_UNAVAILABLE', ofTheOperator, change);
    removeReadModels();
    await eventually('the loss to be noticed', async () => (await ask('readBalances')).endsWith('REBUILDING'));
    await expectEach('READ_MODEL_REBUILDING', withCode('READ_MODEL_REBUILDING'), change);
    await service.stop();
    const restarted = service.restart({ EVENTSTORE_URL: line.url });
    restarted.catch(() => undefined);
    await eventually('a sign of life', async () => (await fetch(`${service.url}/health/live`).catch(() => null))?.ok);
    const ofMerchants = [...operations.values()].filter(({ access }) => access === 'merchant');
    await expectEach(
      'EVENT_STORE_UNAVAILABLE',
      ofMerchants.map(({ operationId }) => operationId),
      {},
    );
    const readiness = await sendRaw(service.url, { method: 'GET', path: '/health/ready' });
    expect(readiness.status).toBe(503);
    await line.comeBack();
    await use(await restarted);
    expect(await ask('listPayments')).toBe('listPayments 200');
  }, 60_000);
});
