import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { noneSkipped, observing } from '@app/event-sourcing/testing/observer';
import { type PaymentCommand, paymentDecider, paymentStreamId } from '@app/payments/domain';
import { COMPLETED, create, createRefund, refundWord } from '@app/payments/testing/payments';
import { type WebhookDeliveryCommand, webhookDeliveryDecider, webhookDeliveryStreamId } from '@app/webhooks/domain';
import { CommandHandling, DamagedHistoryError, isoTime, runProjector } from '@app/event-sourcing';
import { SPEC_START_MS } from '@app/event-sourcing/testing/given-when-then';
import { ManualClock, SeededRandom, settle } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { MemoryReadStore } from '@app/stores/testing/memory-read-store';
import { CompleteReads } from '@app/projections/complete-reads';
import { ProjectionProgress } from '@app/projections/progress';
import type { WebhookDeliveryDocument } from './delivery';
import { webhookDeliveriesProjection } from './projection';
import { WebhookDeliveryReader } from './query-handlers';

const failure = { stage: 'response', code: 'HTTP_500', httpStatus: 500 };
const nextAttemptAt = '2026-01-15T12:05:00.000Z';
const at = (second: number) => isoTime(SPEC_START_MS + 60_000 + second * 1_000);

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

function setUp() {
  const eventStore = new MemoryEventStore();
  const readStore = new MemoryReadStore();
  const clock = new ManualClock();
  const progress = new ProjectionProgress();
  const handling = new CommandHandling({ eventStore, clock, random: new SeededRandom(), proofs: new SpecProofs() });
  const context = { correlationId: 'r', causationId: null, actor: 'spec' };
  const pay = async (number: number, merchantId = 'm1') => {
    const paymentId = `pay_${String(number).padStart(26, '0')}`;
    const commands: readonly PaymentCommand[] = [create({ paymentId, merchantId }), ...COMPLETED.slice(1)];
    for (const command of commands) {
      await handling.handle(paymentDecider, paymentStreamId(paymentId), command, context);
    }
    await clock.advance(1_000);
  };
  const refund = async (number: number, name: string) => {
    const streamId = paymentStreamId(`pay_${String(number).padStart(26, '0')}`);
    for (const command of [createRefund(1n, name), refundWord(name)]) {
      await handling.handle(paymentDecider, streamId, command, context);
    }
    await clock.advance(1_000);
  };
  const decide = (command: WebhookDeliveryCommand) =>
    handling.handle(webhookDeliveryDecider, webhookDeliveryStreamId(command.delivery.deliveryId), command, context);
  /** Projects everything in the log up to now, then stops. */
  const project = async () => {
    const stop = new AbortController();
    stops.push(stop);
    const advanced = progress.advanced.bind(progress);
    const observer = observing({ opened: advanced, committed: advanced });
    const deps = { eventStore, readStore, clock, observer, skipped: noneSkipped };
    const ended = runProjector(webhookDeliveriesProjection, deps, stop.signal);
    await settle();
    stop.abort();
    await ended;
  };
  const reader = new WebhookDeliveryReader(
    eventStore,
    clock,
    new CompleteReads(eventStore, readStore, progress, new ManualClock(0)),
  );
  const page = async (change: Partial<Parameters<WebhookDeliveryReader['page']>[0]> = {}) => {
    const request = { merchantId: 'm1', status: null, direction: 'descending', after: null, limit: 10 } as const;
    const read = await reader.page({ ...request, ...change });
    if (read === 'rebuilding') throw new Error(read);
    return read;
  };
  return { eventStore, readStore, progress, pay, refund, decide, project, reader, page };
}

describe('the reads of deliveries', () => {
  it('show the beginning of each answer in the one that the operator reads, and nowhere else', async () => {
    const { pay, decide, project, reader, page } = setUp();
    await pay(1);
    await project();
    const [listed] = (await page()).items;
    const { deliveryId, merchantId, url, eventType } = listed!.body;
    const delivery = { deliveryId, merchantId, url, eventType, source: listed!.source };
    const recorded = { type: 'RecordAttempt', delivery, scheduleBegan: 0, durationMs: 1, now: nextAttemptAt } as const;
    const said = { ...failure, answer: 'Down' };
    const outcomes = [
      { kind: 'failed', failure: said, nextAttemptAt } as const,
      { kind: 'failed', failure, nextAttemptAt } as const,
      { kind: 'delivered', httpStatus: 204 } as const,
    ];
    for (const [index, outcome] of outcomes.entries()) await decide({ ...recorded, attempt: index + 1, outcome });
    const detail = await reader.detail(deliveryId);
    if (detail === null || detail === 'rebuilding') throw new Error(String(detail));
    expect(detail.attempts.map(({ attempt, answerBeginning }) => [attempt, answerBeginning])).toEqual([
      [1, 'Down'],
      [2, null],
      [3, null],
    ]);
    await project();
    const one = await reader.one(null, deliveryId);
    expect(JSON.stringify([await page(), one])).not.toContain('Down');
    expect(await reader.detail('whd_unknown')).toBeNull();
  });

  it('show the newest first, and say where the next page begins', async () => {
    const { pay, project, page } = setUp();
    for (const number of [1, 2, 3]) await pay(number);
    await pay(4, 'm2');
    await project();
    const all = (await page()).items.map(({ body }) => body);
    expect(all).toHaveLength(3);
    const times = all.map(({ createdAt }) => createdAt);
    expect(times).toEqual([...times].sort().reverse());

    const one = await page({ limit: 2 });
    const two = await page({ limit: 2, after: one.next });
    expect([...one.items, ...two.items].map(({ body }) => body)).toEqual(all);
    expect([one.next, two.next]).toEqual([`${all[1]!.createdAt}|${all[1]!.deliveryId}`, null]);
    expect((await page({ limit: 3 })).next).toBeNull();

    expect((await page({ merchantId: null })).items).toHaveLength(4);
    const span = await page({ direction: 'ascending', after: times[1]!, until: times[0]! });
    expect(span.items.map(({ body }) => body)).toEqual([all[1]]);
  });

  it('find those of a payment, in whole pages, without a list of their own', async () => {
    const { pay, refund, project, page } = setUp();
    for (const number of [1, 2]) await pay(number);
    for (const name of ['a', 'b']) await refund(1, name);
    await project();
    const everything = (await page()).items.map(({ body }) => body);
    const [paymentId, other] = [everything[0]!.paymentId, everything[2]!.paymentId];
    const about = everything.filter((body) => body.paymentId === paymentId);
    expect(about.map(({ eventType }) => eventType)).toEqual([
      'refund.completed',
      'refund.completed',
      'payment.completed',
    ]);
    const bodies = async (change: Parameters<typeof page>[0]) => (await page(change)).items.map(({ body }) => body);
    expect(await bodies({ paymentId })).toEqual(about);
    expect(await bodies({ paymentId, merchantId: null, status: 'PENDING' })).toEqual(about);
    expect(await bodies({ paymentId, status: 'DELIVERED' })).toEqual([]);
    expect(await bodies({ paymentId, merchantId: 'm2' })).toEqual([]);
    expect(await bodies({ paymentId: other })).toEqual([everything[2]]);
    expect(await bodies({ paymentId: 'pay_00000000000000000000000009' })).toEqual([]);
    const first = await page({ paymentId, limit: 2 });
    expect(first.items.map(({ body }) => body)).toEqual(about.slice(0, 2));
    expect(await page({ paymentId, limit: 2, after: first.next })).toMatchObject({ items: [{}], next: null });
    const [newest, middle, oldest] = about;
    const span = { after: oldest!.createdAt, until: newest!.createdAt };
    expect(await bodies({ paymentId, direction: 'ascending', ...span })).toEqual([oldest, middle]);
  });

  it('find none of a payment whose stream somebody else has written to: a part would be taken for all', async () => {
    const { eventStore, pay, project, page } = setUp();
    await pay(1);
    await project();
    const { paymentId } = (await page()).items[0]!.body;
    const streamId = `payment-${paymentId.slice(4)}`;
    const { length } = await eventStore.readStream(streamId);
    const foreign = { id: '00000000-0000-4000-8000-000000000000', type: 'OrderShipped', data: '{}', metadata: '{}' };
    await eventStore.append(streamId, length - 1, [foreign]);
    await expect(page({ paymentId })).rejects.toThrow(DamagedHistoryError);
    await expect(page({ paymentId, merchantId: null })).rejects.toThrow(DamagedHistoryError);
    expect((await page({ paymentId, merchantId: 'm2' })).items).toEqual([]);
  });

  it('find a delivery by its status as it is now', async () => {
    const { pay, decide, project, page } = setUp();
    await pay(1);
    await project();
    const delivery = factsOf((await page({ status: 'PENDING' })).items[0]!);
    const attempt = {
      type: 'RecordAttempt',
      delivery,
      attempt: 1,
      scheduleBegan: 0,
      durationMs: 7,
      now: at(0),
    } as const;
    await decide({ ...attempt, outcome: { kind: 'exhausted', failure, cause: 'RECEIVER_GONE' } });
    await project();
    const counts = async () =>
      Promise.all(
        (['PENDING', 'EXHAUSTED'] as const).map(
          async (status) => (await page({ status, merchantId: null })).items.length,
        ),
      );
    expect(await counts()).toEqual([0, 1]);
    await decide({ type: 'RequestRedelivery', delivery });
    await project();
    expect(await counts()).toEqual([1, 0]);
  });

  it('of one delivery show what was not projected yet', async () => {
    const { pay, decide, project, page, reader } = setUp();
    await pay(1);
    await project();
    const [listed] = (await page()).items;
    const delivery = factsOf(listed!);
    const { deliveryId } = delivery;
    expect(await reader.one('m1', deliveryId)).toEqual(listed);
    const attempt = {
      type: 'RecordAttempt',
      delivery,
      attempt: 1,
      scheduleBegan: 0,
      durationMs: 7,
      now: at(0),
    } as const;
    await decide({ ...attempt, outcome: { kind: 'delivered', httpStatus: 200 } });
    expect(await reader.one('m1', deliveryId)).toMatchObject({ body: { status: 'DELIVERED', attemptCount: 1 } });
    await project();
    await decide({ type: 'RequestRedelivery', delivery });
    expect(await reader.one(null, deliveryId)).toMatchObject({ body: { status: 'PENDING', attemptCount: 1 } });
    expect((await page()).items[0]?.body.status).toBe('DELIVERED');
  });

  it("of one delivery find none that is another merchant's, or not there", async () => {
    const { pay, project, page, reader } = setUp();
    await pay(1);
    await project();
    const [listed] = (await page()).items;
    expect(await reader.one('m2', listed!.body.deliveryId)).toBeNull();
    for (const id of ['whd_00000000000000000000000000', 'whd_', '', 'constructor']) {
      expect(await reader.one(null, id)).toBeNull();
    }
  });

  it('are refused until the model is complete, and when it starts over meanwhile', async () => {
    const { pay, project, reader, page, progress, readStore } = setUp();
    const request = { merchantId: null, status: null, direction: 'descending', after: null, limit: 10 } as const;
    const both = async () => [await reader.page(request), await reader.one(null, 'whd_00000000000000000000000000')];
    progress.lost(webhookDeliveriesProjection.name);
    expect(await both()).toEqual(['rebuilding', 'rebuilding']);
    await pay(1);
    await project();
    expect((await page()).items).toHaveLength(1);
    expect(await both()).not.toContain('rebuilding');
    const { name } = webhookDeliveriesProjection;
    const version = (await readStore.versions(name)).active!;
    progress.advanced({ ...version, completeFrom: version.checkpoint!.position + 1n });
    expect(await both()).toEqual(['rebuilding', 'rebuilding']);
    progress.advanced(version);
    await readStore.restart(name, { declaredVersion: 1, head: version.checkpoint!.position, nowMs: 1 });
    expect(await both()).toEqual(['rebuilding', 'rebuilding']);
  });
});

/** The delivery's facts as the log holds them. */
function factsOf({ body, source }: Pick<WebhookDeliveryDocument, 'body' | 'source'>) {
  const { deliveryId, merchantId, url, eventType } = body;
  return { deliveryId, merchantId, url, eventType, source };
}
