import { type AttemptOutcome, webhookDeliveryDecider, webhookDeliveryStreamId } from '@app/domain/webhook-delivery';
import { CommandHandling } from '@app/kernel';
import { sha256Netstrings } from '@app/runtime/system-environment';
import { ManualClock } from '@app/runtime/testing/manual-clock';
import { SeededRandom } from '@app/runtime/testing/seeded-random';
import { MemoryEventStore } from '@app/storage/memory/event-store';
import { RequestRedeliveriesCommand, RequestRedeliveriesHandler } from './request-redeliveries';

const context = { correlationId: 'req-1', causationId: null, actor: 'operator' };
const NOW = '2026-01-15T12:00:00.000Z';

const delivery = (number: number) => ({
  deliveryId: `whd_${String(number).padStart(26, '0')}`,
  merchantId: 'm1',
  url: 'https://shop.test/hook',
  eventType: 'payment.completed',
  source: { streamId: 'payment-1', revision: 3 },
});

describe('requesting redeliveries', () => {
  const eventStore = new MemoryEventStore();
  const handling = new CommandHandling({
    eventStore,
    clock: new ManualClock(),
    random: new SeededRandom(),
    hash: sha256Netstrings,
  });
  const handler = new RequestRedeliveriesHandler(handling);
  const request = (...numbers: readonly number[]) =>
    handler.execute(new RequestRedeliveriesCommand(context, numbers.map(delivery)));
  const attempt = (number: number, outcome: AttemptOutcome) =>
    handling.handle(
      webhookDeliveryDecider,
      webhookDeliveryStreamId(delivery(number).deliveryId),
      {
        kind: 'RecordAttempt',
        delivery: delivery(number),
        attempt: 1,
        scheduleBegan: 0,
        durationMs: 1,
        now: NOW,
        outcome,
      },
      context,
    );

  it('records one for each delivery that is not due already, and counts them', async () => {
    const many = Array.from({ length: 40 }, (_, index) => index + 1);
    for (const number of many) await attempt(number, { kind: 'delivered', httpStatus: 200 });
    expect(await request(...many, 99)).toBe(40);
    for (const number of many) {
      const events = await eventStore.readStream(webhookDeliveryStreamId(delivery(number).deliveryId));
      expect(events.map(({ type }) => type)).toEqual(['WebhookDelivered', 'WebhookRedeliveryRequested']);
      expect(JSON.parse(events[1]!.data)).toEqual(delivery(number));
      expect(JSON.parse(events[1]!.metadata)).toMatchObject(context);
    }
    expect(await eventStore.readStream(webhookDeliveryStreamId(delivery(99).deliveryId))).toEqual([]);
    expect(await request(...many)).toBe(0);
  });

  it('of nothing does nothing', async () => {
    expect(await request()).toBe(0);
  });
});
