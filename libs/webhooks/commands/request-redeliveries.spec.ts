import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { paymentDecider, type PaymentEvent, paymentSchemas, paymentStreamId } from '@app/payments/domain';
import { authorization, captureWord, create } from '@app/payments/testing/payments';
import {
  type AttemptOutcome,
  type DeliveryFacts,
  deliveryOf,
  webhookDeliveryDecider,
  webhookDeliveryStreamId,
} from '@app/webhooks/domain';
import { CommandHandling, readHistory } from '@app/event-sourcing';
import { ManualClock } from '@app/platform/testing/manual-clock';
import { RecordingFindings } from '@app/platform/testing/recording-findings';
import { SeededRandom } from '@app/platform/testing/seeded-random';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import {
  type ListedDelivery,
  type RedeliveryCondition,
  RequestRedeliveriesCommand,
  RequestRedeliveriesHandler,
} from './request-redeliveries';

const context = { correlationId: 'req-1', causationId: null, actor: 'operator' };
const NOW = '2026-01-15T12:00:00.000Z';
const URL = 'https://shop.test/hook';

describe('requesting redeliveries', () => {
  const eventStore = new MemoryEventStore();
  const findings = new RecordingFindings();
  const [clock, random] = [new ManualClock(), new SeededRandom()];
  const handling = new CommandHandling({ eventStore, clock, random, proofs: new SpecProofs() });
  const handler = new RequestRedeliveriesHandler(handling, eventStore, findings.forged);
  let payments = 0;

  /** The delivery for a completed payment. */
  async function delivery(merchantId = 'm1'): Promise<DeliveryFacts> {
    payments += 1;
    const paymentId = `pay_${String(payments).padStart(26, '0')}`;
    const streamId = paymentStreamId(paymentId);
    for (const command of [create({ paymentId, merchantId, notifyUrl: URL }), authorization(), captureWord()]) {
      await handling.handle(paymentDecider, streamId, command, context);
    }
    const events = readHistory<PaymentEvent>(await eventStore.readStream(streamId), paymentSchemas);
    return events.map(deliveryOf).find((told) => told !== null)!;
  }
  const attempt = (of: DeliveryFacts, outcome: AttemptOutcome) =>
    handling.handle(
      webhookDeliveryDecider,
      webhookDeliveryStreamId(of.deliveryId),
      { type: 'RecordAttempt', delivery: of, attempt: 1, scheduleBegan: 0, durationMs: 1, now: NOW, outcome },
      context,
    );
  const delivered = async (merchantId?: string) => {
    const of = await delivery(merchantId);
    await attempt(of, { kind: 'delivered', httpStatus: 200 });
    return of;
  };
  const request = (
    deliveries: readonly ListedDelivery[],
    condition: RedeliveryCondition = {},
    requestId: string | null = null,
  ) => handler.execute(new RequestRedeliveriesCommand(context, deliveries, condition, requestId));
  const history = async ({ deliveryId }: ListedDelivery) =>
    (await eventStore.readStream(webhookDeliveryStreamId(deliveryId))).map(({ type }) => type);

  it('records one for each delivery that is not due already, as the log has it, and counts them', async () => {
    const many = [];
    for (let number = 0; number < 40; number += 1) many.push(await delivered());
    const pending = await delivery();
    expect(await request([...many, pending])).toEqual({ found: 41, requested: 40 });
    for (const of of many) {
      const events = await eventStore.readStream(webhookDeliveryStreamId(of.deliveryId));
      expect(events.map(({ type }) => type)).toEqual(['WebhookDelivered', 'WebhookRedeliveryRequested']);
      expect(JSON.parse(events[1]!.data)).toEqual(of);
      expect(JSON.parse(events[1]!.metadata)).toMatchObject(context);
    }
    expect(await history(pending)).toEqual([]);
    expect(await request(many)).toEqual({ found: 40, requested: 0 });
  });

  it('of nothing does nothing', async () => {
    expect(await request([])).toEqual({ found: 0, requested: 0 });
  });

  it('takes from a list nothing but where the event stands, and refuses what is not that event’s', async () => {
    const [mine, theirs] = [await delivered('m1'), await delivered('m2')];
    const forged = [
      { ...mine, source: theirs.source },
      { ...mine, source: { ...mine.source, revision: 0 } },
      { ...mine, source: { ...mine.source, revision: 99 } },
      { ...mine, source: { streamId: 'merchant-m1', revision: 0 } },
      { ...mine, source: { streamId: mine.source.streamId, revision: -1 } },
      { ...mine, deliveryId: 'whd_x' },
    ];
    for (const one of forged) expect(await request([one])).toEqual({ found: 0, requested: 0 });
    expect(await history(mine)).toEqual(['WebhookDelivered']);
    expect(findings.forgeries).toHaveLength(forged.length);
    expect(await request([{ ...mine, url: 'https://evil.test', merchantId: 'm2' } as ListedDelivery])).toEqual({
      found: 1,
      requested: 1,
    });
    const [, requested] = await eventStore.readStream(webhookDeliveryStreamId(mine.deliveryId));
    expect(JSON.parse(requested!.data)).toEqual(mine);
  });

  it('is of the merchant, the status and the time that the log tells, whatever a list says', async () => {
    const of = await delivered('m1');
    const recordedAt = new Date(clock.nowMs()).toISOString();
    const other: readonly RedeliveryCondition[] = [
      { merchantId: 'm2' },
      { recordedFrom: '2030-01-01T00:00:00.001Z' },
      { recordedUntil: recordedAt },
    ];
    for (const condition of other) expect(await request([of], condition)).toEqual({ found: 0, requested: 0 });
    expect(await request([of], { status: 'EXHAUSTED' })).toEqual({ found: 1, requested: 0 });
    const meant = { merchantId: 'm1', status: 'DELIVERED', recordedFrom: recordedAt } as const;
    expect(await request([of], meant)).toEqual({ found: 1, requested: 1 });
  });

  it('is made once by a request, however often that is repeated and whatever was sent since then', async () => {
    const of = await delivered();
    const requestId = 'A'.repeat(26);
    expect(await request([of], {}, requestId)).toEqual({ found: 1, requested: 1 });
    await handling.handle(
      webhookDeliveryDecider,
      webhookDeliveryStreamId(of.deliveryId),
      {
        type: 'RecordAttempt',
        delivery: of,
        attempt: 2,
        scheduleBegan: 1,
        durationMs: 1,
        now: NOW,
        outcome: { kind: 'delivered', httpStatus: 200 },
      },
      context,
    );
    expect(await request([of], {}, requestId)).toEqual({ found: 1, requested: 0 });
    expect(await request([of], {}, 'B'.repeat(26))).toEqual({ found: 1, requested: 1 });
  });
});
