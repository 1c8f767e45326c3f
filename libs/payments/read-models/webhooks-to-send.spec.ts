import { dueAfter, dueAtOnce, dueOn, type DomainEvent, foldDocument, type StoredEvent } from '@app/event-sourcing';
import { asStored, SPEC_START_MS } from '@app/event-sourcing/testing/given-when-then';
import type { PaymentCommand, PaymentEvent } from '@app/payments/domain';
import {
  authorization,
  captureWord,
  commandSequences,
  COMPLETED,
  create,
  createManual,
  DECLINED,
  play,
  refundWord,
  createRefund,
} from '@app/payments/testing/payments';
import type { DeliveryFacts, WebhookDeliveryEvent } from '@app/webhooks/domain';
import * as fc from 'fast-check';
import { type WebhookToSend, webhooksToSend } from './webhooks-to-send';

type Event = StoredEvent<PaymentEvent | WebhookDeliveryEvent>;

/** The whole list after the events. */
function listAfter(events: readonly Event[]): WebhookToSend[] {
  const keys = new Set(events.flatMap((event) => webhooksToSend.key(event) ?? []));
  return [...keys].flatMap((key) => foldDocument(webhooksToSend, key, events) ?? []);
}

const listOf = (...commands: readonly PaymentCommand[]) => listAfter(play(commands).stored);
const typesOf = (list: readonly WebhookToSend[]) => list.map(({ eventType, url }) => [eventType, url]);

describe('the webhooks to send', () => {
  it('hold a delivery for an event that merchants are told of, due at once', () => {
    expect(listOf(...COMPLETED)).toEqual([
      {
        deliveryId: 'whd_00000000008008000000000003',
        merchantId: 'm1',
        url: 'https://shop.test/hook',
        eventType: 'payment.completed',
        source: { streamId: 'payment-00000000000000000000000001', revision: 3 },
        ...dueAtOnce(SPEC_START_MS + 2_000),
      },
    ]);
  });

  it('hold one for each event that merchants are told of', () => {
    const list = listOf(createManual(), authorization(), { ...authorization(), type: 'RecordAuthorization' });
    expect(typesOf(list)).toEqual([['payment.authorized', 'https://shop.test/hook']]);
    expect(typesOf(listOf(create(), authorization(DECLINED)))).toEqual([['payment.failed', 'https://shop.test/hook']]);
  });

  it("hold none where nobody is to be told, but a refund's own address counts", () => {
    const silent = [create({ notifyUrl: null }), authorization(), captureWord()];
    expect(listOf(...silent)).toEqual([]);
    expect(listOf(...silent, createRefund(1n), refundWord())).toEqual([]);
    const told = createRefund(1n, 'r1', { notifyUrl: 'https://refunds.test/' });
    expect(typesOf(listOf(...silent, told, refundWord()))).toEqual([['refund.completed', 'https://refunds.test/']]);
    expect(typesOf(listOf(...COMPLETED, told, refundWord('r1', DECLINED)))).toEqual([
      ['payment.completed', 'https://shop.test/hook'],
      ['refund.failed', 'https://refunds.test/'],
    ]);
  });

  it('take turns by merchant and receiver', () => {
    const [item] = listOf(...COMPLETED);
    expect(webhooksToSend.due!(item!)).toEqual({ ...dueAtOnce(item!.dueAtMs), group: 'm1|https://shop.test|57' });
  });

  it('hold a delivery for every public event of any history that has an address, and for no other', () => {
    fc.assert(
      fc.property(commandSequences, (commands) => {
        const { stored } = play(commands);
        const told = stored.filter(({ type, data }) => {
          if (!('notifyUrl' in data) || data.notifyUrl === null) return false;
          if (type === 'PaymentAuthorized') return data.captureMethod === 'MANUAL';
          return !['PaymentCreated', 'RefundRequested'].includes(type);
        });
        const sources = listAfter(stored).map(({ source }) => source.revision);
        expect(sources).toEqual(told.map(({ revision }) => revision));
      }),
      { numRuns: 300 },
    );
  });
});

describe('a delivery', () => {
  const [item] = listOf(...COMPLETED);
  const { dueAtMs: _due, waitsFromMs: _from, ...facts } = item!;
  const attempt = (type: WebhookDeliveryEvent['type'], number: number, own: object): DomainEvent => ({
    type,
    data: { ...(facts as DeliveryFacts), attempt: number, durationMs: 5, ...own },
  });
  const after = (...attempts: readonly DomainEvent[]) => {
    const stored = asStored(attempts, { streamId: `webhookDelivery-${facts.deliveryId.slice(4)}` });
    return listAfter([...play(COMPLETED).stored, ...(stored as unknown as Event[])]);
  };
  const failed = (number: number, nextAttemptAt: string) =>
    attempt('WebhookAttemptFailed', number, { failure: { stage: 'x', code: 'y', httpStatus: null }, nextAttemptAt });

  it('is put off by an attempt that failed, and again by the next', () => {
    const [scheduledAt, nextAttemptAt] = ['2026-01-15T12:00:02.000Z', '2026-01-15T12:00:07.000Z'];
    const [scheduledAtMs, nextAttemptAtMs] = [Date.parse(scheduledAt), Date.parse(nextAttemptAt)];
    const once = failed(1, nextAttemptAt);
    expect(after({ ...once, data: { ...once.data, scheduledAt } })).toEqual([
      { ...item, ...dueAfter(scheduledAtMs, nextAttemptAtMs) },
    ]);
    // Like early events, which hold no clock reading.
    expect(after(once)).toEqual([{ ...item, ...dueOn(nextAttemptAtMs) }]);
    expect(after(once, failed(2, '2026-01-15T12:05:00.000Z'))).toMatchObject([
      { dueAtMs: Date.parse('2026-01-15T12:05:00.000Z') },
    ]);
  });

  it('is taken off the list once it was acknowledged, or given up', () => {
    expect(after(failed(1, '2026-01-15T12:00:07.000Z'), attempt('WebhookDelivered', 2, { httpStatus: 200 }))).toEqual(
      [],
    );
    const failure = { stage: 'x', code: 'y', httpStatus: 410 };
    expect(after(attempt('WebhookDeliveryExhausted', 1, { failure, cause: 'RECEIVER_GONE' }))).toEqual([]);
  });

  it('comes back onto the list, due at once, when it is asked for again', () => {
    const again: DomainEvent = { type: 'WebhookRedeliveryRequested', data: facts };
    const delivered = attempt('WebhookDelivered', 1, { httpStatus: 200 });
    expect(after(delivered, again)).toEqual([{ ...item, ...dueAtOnce(SPEC_START_MS + 1_000) }]);
    expect(after(delivered, again, attempt('WebhookDelivered', 2, { httpStatus: 200 }))).toEqual([]);
  });
});
