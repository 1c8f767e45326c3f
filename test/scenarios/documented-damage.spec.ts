import { randomUUID } from 'node:crypto';
import { auditorOf } from '../support/auditor-client';
import { AskedService } from '../support/asked-service';
import { EventStoreProcess } from '../support/event-store-process';
import type { Change } from '../support/operations';
import { bodyOf, createCompleted } from '../support/payments';
import { eventually, Service } from '../support/service';
import { spoilRecordedAnswers, spoilStreams } from '../support/spoiled-streams';
import { WebhookReceiver } from '../support/webhook-receiver';

// What operations answer where the stream that they depend on was written to by somebody else. Those of projections have
// their test in documented-projections.spec.ts.

let eventStore: EventStoreProcess;
let asked: AskedService;
let receiver: WebhookReceiver;

beforeAll(async () => {
  eventStore = await EventStoreProcess.start();
  receiver = await WebhookReceiver.start();
  asked = await AskedService.of(await Service.start({ env: { EVENTSTORE_URL: eventStore.url } }));
});
afterAll(async () => {
  await asked.service.stop();
  await asked.service.removeData();
  await eventStore.kill();
  eventStore.removeData();
  await receiver.stop();
});

const seen = new Set<string>();

async function expectDamaged(operationId: string, change: Change): Promise<void> {
  expect(await asked.ask(operationId, change)).toBe(`${operationId} 409 HISTORY_DAMAGED`);
  seen.add(operationId);
}

async function delivered(): Promise<string> {
  await createCompleted(asked.client, { notifyUrl: receiver.url });
  return eventually('a delivery', async () => {
    const list = await asked.operator.send('GET', '/webhook-deliveries?status=DELIVERED');
    return bodyOf<{ items: readonly { readonly deliveryId: string }[] }>(list, 200).items[0]?.deliveryId;
  });
}

it('a repetition is refused where its first answer is not as it was recorded', async () => {
  const range = { from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z', status: 'DELIVERED' };
  const requests: readonly (readonly [string, Change])[] = [
    ['registerMerchant', { body: '{"name":"New"}' }],
    ['registerAuditor', { body: JSON.stringify({ name: 'New', expiresAt: new Date(Date.now() + 9e7).toISOString() }) }],
    ['redeliverWebhooks', { body: JSON.stringify(range) }],
    ['redeliverAnyWebhook', { path: `/admin/v1/webhook-deliveries/${await delivered()}/redeliver` }],
  ];
  const keyed = requests.map(([operationId, change]) => {
    return [operationId, { ...change, headers: { 'Idempotency-Key': randomUUID() } }] as const;
  });
  for (const [operationId, change] of keyed) expect(await asked.ask(operationId, change)).toMatch(/ 20[12]$/);
  const other = { ...keyed[2]![1], body: JSON.stringify({ ...range, status: 'PENDING' }) };
  expect(await asked.ask('redeliverWebhooks', other)).toBe('redeliverWebhooks 422 IDEMPOTENCY_KEY_REUSED');
  await spoilRecordedAnswers(eventStore);
  for (const [operationId, change] of keyed) await expectDamaged(operationId, change);
});

it('a delivery whose stream is damaged is not shown', async () => {
  const deliveryId = await delivered();
  await spoilStreams(eventStore, (streamId) => streamId === `webhookDelivery-${deliveryId.slice(4)}`);
  await expectDamaged('readAnyWebhookDelivery', { path: `/admin/v1/webhook-deliveries/${deliveryId}` });
});

it('the deliveries of a payment are not told of a part of its stream', async () => {
  const { paymentId } = await createCompleted(asked.client, { notifyUrl: receiver.url });
  await spoilStreams(eventStore, (streamId) => streamId === `payment-${paymentId.slice(4)}`);
  for (const [operationId, path] of [
    ['listAllWebhookDeliveries', '/admin/v1/webhook-deliveries'],
    ['listWebhookDeliveries', '/api/v2/webhook-deliveries'],
  ] as const) {
    await expectDamaged(operationId, { path: `${path}?paymentId=${paymentId}` });
  }
});

it("an auditor whose stream is damaged is let in no more, and the operator's requests for it are refused", async () => {
  const { auditorId } = (await auditorOf(asked.service)).auditor;
  await spoilStreams(eventStore, (streamId) => streamId === `auditor-${auditorId.slice(4)}`);
  const noticed = async () => (await asked.ask('auditHead')) === 'auditHead 409 HISTORY_DAMAGED';
  await eventually('the damage to be noticed', noticed);
  const ofAuditors = [...asked.operations.values()].filter(({ access }) => access === 'auditor');
  for (const { operationId } of ofAuditors) await expectDamaged(operationId, {});
  const path = `/admin/v1/auditors/${auditorId}`;
  for (const operationId of ['readAuditor', 'revokeAuditor']) await expectDamaged(operationId, { path });
  const listed = bodyOf<{ items: readonly object[] }>(await asked.operator.send('GET', '/auditors'), 200);
  expect(listed.items).toContainEqual(expect.objectContaining({ auditorId, name: null, status: 'DAMAGED' }));
});

it("a merchant whose stream is damaged is let in no more, and the operator's requests for it are refused", async () => {
  const { merchantId } = asked.client.credentials;
  await spoilStreams(eventStore, (streamId) => streamId === `merchant-${merchantId}`);
  const noticed = async () => (await asked.ask('listPayments')) === 'listPayments 409 HISTORY_DAMAGED';
  await eventually('the damage to be noticed', noticed);
  const documented = asked.withCode('HISTORY_DAMAGED').filter((name) => !/Rebuild|Projection/.test(name));
  for (const operationId of documented.filter((name) => !seen.has(name))) {
    const path = asked.operations.get(operationId)!.path.replace('merchants/unknown', `merchants/${merchantId}`);
    await expectDamaged(operationId, { path });
  }
});
