import { randomUUID } from 'node:crypto';
import { SystemClock } from '@app/platform/lifecycle/system-environment';
import { EmbeddedEventStore } from '@app/stores/sqlite';
import { openStore } from '@app/stores/testing/eventstoredb/stores';
import { eventStoreOf } from '../support/event-store-of';
import { MerchantClient } from '../support/merchant-client';
import { OperatorClient } from '../support/operator-client';
import { bodyOf, createCompleted, read } from '../support/payments';
import { refusal } from '../support/refusal';
import { eventually, Service } from '../support/service';

let service: Service;
beforeAll(async () => {
  service = await Service.start();
});
afterAll(async () => {
  await service.stop();
  await service.removeData();
});

type Append = (streamId: string, expected: number | 'no-stream', type?: string, metadata?: string) => Promise<void>;

/** Writes as somebody else on the same event store would: beside the running service where it is a server's. */
async function asSomebodyElse(write: (append: Append) => Promise<void>): Promise<void> {
  const access = await eventStoreOf(service.dataDir);
  if (access === null) await service.stop();
  const store =
    access === null
      ? EmbeddedEventStore.open({ directory: service.dataDir, clock: new SystemClock() })
      : openStore(access.EVENTSTORE_URL, { streamPrefix: access.STREAM_PREFIX });
  try {
    await write(async (streamId, expected, type = 'OrderShipped', metadata = '') => {
      await store.append(streamId, expected, [{ id: randomUUID(), type, data: '{"order":7}', metadata }]);
    });
  } finally {
    await store.close();
  }
  if (access === null) service = await service.restart();
}

const clientOf = (one: Pick<MerchantClient, 'credentials'>) => new MerchantClient(service.url, one.credentials);
const paymentStream = (paymentId: string) => `payment-${paymentId.slice('pay_'.length)}`;

it('an event of others sets its stream aside, and everything else goes on, also after a restart', async () => {
  const [shop, other] = await Promise.all([
    new OperatorClient(service).register('Shop'),
    new OperatorClient(service).register('Other'),
  ]);
  const damaged = await createCompleted(shop);
  const sound = await createCompleted(shop);
  const revision = (await read(shop, damaged.paymentId)).transactions.length;
  expect(revision).toBeGreaterThan(0);
  await asSomebodyElse(async (append) => {
    await append('merchant-', 'no-stream');
    await append('merchant-of-somebody-else', 'no-stream');
    await append('merchant-42', 'no-stream');
    await append(`merchant-${other.credentials.merchantId}`, 1);
    await append('keys', 2, 'DataKeyCreated');
    await append('payment-xyz', 'no-stream', 'PaymentCreated');
    await append(paymentStream(damaged.paymentId), 3, 'PaymentCaptured', 'no JSON');
    await append('webhookDelivery-1', 'no-stream');
    await append('projection-payments', 'no-stream');
  });

  const check = async (): Promise<void> => {
    const client = clientOf(shop);
    const operator = new OperatorClient(service);
    // Commands, reads and workers of everything else.
    const fresh = await createCompleted(client);
    expect((await read(client, sound.paymentId)).status).toBe('COMPLETED');
    // The one payment, by every way to it.
    await eventually('the payment to be found damaged', async () => {
      const answer = await client.payment(damaged.paymentId);
      return answer.status === 409 && refusal(answer)[1] === 'HISTORY_DAMAGED';
    });
    const path = `/api/v2/payments/${damaged.paymentId}`;
    for (const asked of [
      client.send('GET', `${path}/events`, undefined, {}, false),
      client.send('GET', `${path}/refunds`, undefined, {}, false),
      client.refund(damaged.paymentId, { amount: { value: '1.00', currency: 'EUR' } }),
    ]) {
      expect(refusal(await asked)).toEqual([409, 'HISTORY_DAMAGED', []]);
    }
    const batch = bodyOf<{ results: unknown[] }>(await client.batchQuery([damaged.paymentId, fresh.paymentId]), 200);
    expect(batch.results).toMatchObject([{ status: 'DAMAGED' }, { status: 'COMPLETED' }]);
    const listed = await client.send('GET', '/api/v2/payments?limit=100', undefined, {}, false);
    const { items } = bodyOf<{ items: { paymentId: string; status: string }[] }>(listed, 200);
    expect(items.find(({ paymentId }) => paymentId === damaged.paymentId)?.status).toBe('DAMAGED');
    // Another merchant is told nothing of it, and the damaged merchant is let in no more.
    expect(refusal(await clientOf(other).payment(damaged.paymentId))).toEqual([409, 'HISTORY_DAMAGED', []]);
    const stranger = clientOf(await operator.register('Stranger'));
    expect(refusal(await stranger.payment(damaged.paymentId))).toEqual([404, 'PAYMENT_NOT_FOUND', []]);
    // The operator: projections, streams, readiness, metrics.
    const projections = bodyOf<{ items: { partitions: { status: string }[] }[] }>(
      await operator.send('GET', '/projections'),
      200,
    );
    expect(new Set(projections.items.flatMap(({ partitions }) => partitions.map(({ status }) => status)))).toEqual(
      new Set(['LIVE']),
    );
    expect(refusal(await operator.send('POST', '/projections/payments/retry'))).toEqual([
      409,
      'PROJECTION_NOT_STOPPED',
      [],
    ]);
    const streams = bodyOf<{ items: { streamId: string; kind: string }[] }>(
      await operator.send('GET', '/damaged-streams?limit=100'),
      200,
    );
    expect(streams.items.map(({ streamId, kind }) => `${kind} ${streamId}`)).toEqual(
      expect.arrayContaining(
        [paymentStream(damaged.paymentId), `merchant-${other.credentials.merchantId}`, 'merchant-42'].map(
          (streamId) => `FOREIGN ${streamId}`,
        ),
      ),
    );
    for (const { streamId } of streams.items) expect(streamId).not.toMatch(/^payment-xyz$|^merchant-of|^merchant-$/);
    const ready = await fetch(`${service.url}/health/ready`);
    expect(ready.status).toBe(200);
    expect(await ready.text()).toContain('damaged and set aside');
    expect(await (await fetch(`${service.url}/metrics`)).text()).toMatch(/counterfoil_damaged_streams [1-9]/);
  };
  await check();
  await service.stop();
  service = await service.restart();
  await check();
});
