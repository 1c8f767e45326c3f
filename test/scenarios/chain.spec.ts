import { SeededRandom } from '@app/platform/testing';
import { type LoggedEvent, problemsOfLog, readLog } from '../support/event-log';
import { problemsOf as problemsOfEvent } from '../support/event-schemas';
import { registerMerchant } from '../support/ledger';
import { Load, newSeed } from '../support/load';
import { MerchantClient } from '../support/merchant-client';
import { untilSettled } from '../support/outcome';
import { CARDS, create, createCompleted, refund, untilRefundStatus, untilStatus } from '../support/payments';
import { eventually, Service } from '../support/service';
import { WebhookReceiver } from '../support/webhook-receiver';

let service: Service;
let receiver: WebhookReceiver;
let gone: WebhookReceiver;
let events: readonly LoggedEvent[];

beforeAll(async () => {
  const seed = newSeed();
  process.stdout.write(`chain: SEED=${seed}\n`);
  receiver = await WebhookReceiver.start(({ headers }) => (headers['x-webhook-attempt'] === '1' ? 503 : 200));
  gone = await WebhookReceiver.start(() => 410);
  service = await Service.start();
  const client = new MerchantClient(service.url, service.credentials);
  const cards = { completes: 4, declined: 1, challenge: 2, challengeDeclined: 1, captureRefused: 1 };
  const load = new Load({ client, random: new SeededRandom(seed), cards, merchants: 4 });
  await registerMerchant(service, 'Other Shop');
  // Every kind of event that these operations lead to, at least once.
  const lost = await create(client, { card: CARDS.authorizationAnswerLost, notifyUrl: receiver.url });
  const manual = await create(client, { extra: { captureMethod: 'MANUAL', merchantMetadata: { '1': 'ü', '0': '' } } });
  await createCompleted(client, { notifyUrl: gone.url, extra: { order: { orderId: 'order/"\\\u200d\u{1f331}' } } });
  const failing = await createCompleted(client, { card: CARDS.refundDeclined });
  const { refundId } = await refund(client, failing.paymentId, '1.00', { reason: 'ß "quoted" \\ \ufffe' });
  await load.progress(120);
  await load.finish();
  await untilSettled(client, load.acknowledged, 30_000);
  await untilRefundStatus(client, refundId, 'FAILED');
  await untilStatus(client, manual.paymentId, 'AUTHORIZED');
  await untilStatus(client, lost.paymentId, 'COMPLETED');
  await eventually('a webhook that is sent again', async () =>
    (await readLog(service.dataDir)).some(({ type }) => type === 'WebhookDelivered'),
  );
  expect(load.surprises).toEqual([]);
  await service.stop();
  events = await readLog(service.dataDir);
});

afterAll(async () => {
  await Promise.all([receiver.stop(), gone.stop(), service.kill()]);
  await service.removeData();
});

it('holds events of every kind that these operations lead to', () => {
  expect([...new Set(events.map(({ type }) => type))]).toEqual(
    expect.arrayContaining([
      'AccessTokenIssued',
      'DataKeyCreated',
      'GatewayStepDeferred',
      'MerchantRegistered',
      'PaymentAuthenticated',
      'PaymentAuthorized',
      'PaymentCaptured',
      'PaymentCaptureRefused',
      'PaymentCaptureRequested',
      'PaymentCreated',
      'PaymentFailed',
      'PaymentVoided',
      'RefundCompleted',
      'RefundFailed',
      'RefundRequested',
      'WebhookAttemptFailed',
      'WebhookDelivered',
      'WebhookDeliveryExhausted',
    ]),
  );
});

it('is one unbroken chain in each stream, whole in its places, its times and its bytes', () => {
  expect(problemsOfLog(events)).toEqual([]);
});

it('holds nothing but what the published schemas say', () => {
  const problems = events.flatMap((event) => problemsOfEvent(event));
  expect([...new Set(problems)]).toEqual([]);
});

it('names who acted, and in the course of which request', () => {
  const actors = new Set(events.map(({ metadata }) => (JSON.parse(metadata) as { actor: string }).actor.split(':')[0]));
  for (const actor of actors) expect(['merchant', 'operator', 'worker', 'system']).toContain(actor);
  const byId = new Map(events.map((event) => [event.id, event]));
  for (const { metadata, position } of events) {
    const { causationId, correlationId } = JSON.parse(metadata) as {
      causationId: string | null;
      correlationId: string;
    };
    expect(correlationId).not.toBe('');
    if (causationId === null) continue;
    const cause = byId.get(causationId);
    expect(cause?.position).toBeLessThan(position);
    expect((JSON.parse(cause!.metadata) as { correlationId: string }).correlationId).toBe(correlationId);
  }
});

it.each<readonly [string, (event: LoggedEvent) => LoggedEvent]>([
  ['an amount', (event) => ({ ...event, data: event.data.replace(/"amountMinor":"\d+"/, '"amountMinor":"1"') })],
  ['the actor', (event) => ({ ...event, metadata: event.metadata.replace('"actor":"', '"actor":"x') })],
  ['the time', (event) => ({ ...event, metadata: event.metadata.replace('"recordedAt":"2', '"recordedAt":"1') })],
  ['the type', (event) => ({ ...event, type: 'PaymentCancelled' })],
  ['a blank', (event) => ({ ...event, data: event.data.replace('{', '{ ') })],
  ['the stream', (event) => ({ ...event, streamId: `payment-${'0'.repeat(26)}` })],
])('would show that %s was changed', (_name, change) => {
  const index = events.findIndex(({ type }) => type === 'PaymentCaptured');
  const changed = events.map((event, at) => (at === index ? change(event) : event));
  expect(changed[index]).not.toEqual(events[index]);
  expect(problemsOfLog(changed)).not.toEqual([]);
});

it('would show that an event was taken away', () => {
  const index = events.findIndex(({ type }) => type === 'PaymentAuthorized');
  expect(problemsOfLog(events.filter((_event, at) => at !== index))).not.toEqual([]);
});
