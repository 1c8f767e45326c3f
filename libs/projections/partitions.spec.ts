import { hash } from 'node:crypto';
import type { Document, DomainEvent, Projection, StoredEvent } from '@app/event-sourcing';
import { asStored } from '@app/event-sourcing/testing/given-when-then';
import { type PaymentEvent, publicEventId } from '@app/payments/domain';
import { paymentHistories } from '@app/payments/testing/histories';
import { deliveryIdOfEvent, webhookDeliveryStreamId, webhookOf } from '@app/webhooks/domain';
import { propertyRuns } from '@app/platform/testing';
import * as fc from 'fast-check';
import { balancesProjection } from '@app/ledger/read-models/projection';
import { ONE_PARTITION, Partitions, wholeName } from './partitions';
import { paymentsProjection } from '@app/payments/read-models/projection';
import { processingProjection } from '@app/payments/read-models/processing-projection';
import { webhookDeliveriesProjection } from '@app/webhooks/read-models/projection';

const PROJECTIONS = [
  paymentsProjection,
  processingProjection,
  balancesProjection,
  webhookDeliveriesProjection,
] as unknown as readonly Projection[];

/** All documents that result from the events, by collection and key. */
function documentsOf(projection: Projection, events: readonly StoredEvent[]): ReadonlyMap<string, Document> {
  const documents = new Map<string, Document>();
  const { streamPrefixes, types } = projection;
  for (const event of events) {
    if (!streamPrefixes.some((prefix) => event.streamId.startsWith(prefix))) continue;
    if (types !== undefined && !types.includes(event.type)) continue;
    for (const collection of projection.collections) {
      const key = collection.key(event);
      if (key === null) continue;
      const place = `${collection.name}/${key}`;
      const document = collection.evolve(documents.get(place) ?? null, event) as Document | null;
      if (document === null) documents.delete(place);
      else documents.set(place, document);
    }
  }
  return documents;
}

function merchantOf(document: Document): string {
  const { merchantId, body } = document as { merchantId?: string; body?: { merchantId?: string } };
  return merchantId ?? body?.merchantId ?? 'nobody';
}

const failure = { stage: 'response', code: 'HTTP_500', httpStatus: 500 };
const attempts: readonly ((facts: object) => DomainEvent)[] = [
  (facts) => ({ type: 'WebhookDelivered', data: { ...facts, attempt: 1, httpStatus: 204, durationMs: 7 } }),
  (facts) => ({
    type: 'WebhookAttemptFailed',
    data: { ...facts, attempt: 1, failure, durationMs: 7, nextAttemptAt: '2026-01-15T12:05:00.000Z' },
  }),
  (facts) => ({
    type: 'WebhookDeliveryExhausted',
    data: { ...facts, attempt: 1, failure, durationMs: 7, cause: 'ATTEMPTS_USED_UP' },
  }),
  (facts) => ({ type: 'WebhookRedeliveryRequested', data: facts }),
];

/** Payments; each event with a webhook may be followed by the outcome of its delivery. */
const histories = fc
  .tuple(paymentHistories, fc.array(fc.array(fc.nat(attempts.length - 1), { maxLength: 4 }), { minLength: 1 }))
  .map(([payments, outcomes]): readonly StoredEvent[] =>
    payments
      .map(withOwnIds)
      .flatMap((event, index) => [
        event as unknown as StoredEvent,
        ...deliveryEvents(event, outcomes[index % outcomes.length] ?? []),
      ]),
  );

/** Makes the ids of refunds and disputes unique per payment, which those of the generator are not. */
function withOwnIds(event: StoredEvent<PaymentEvent>): StoredEvent<PaymentEvent> {
  const data: Record<string, unknown> = { ...event.data };
  for (const name of ['refundId', 'disputeId']) {
    if (typeof data[name] === 'string') data[name] = `${data[name]}-${event.streamId}`;
  }
  return { ...event, data } as unknown as StoredEvent<PaymentEvent>;
}

function deliveryEvents(event: StoredEvent<PaymentEvent>, outcomes: readonly number[]): readonly StoredEvent[] {
  const webhook = webhookOf(event);
  if (webhook === null) return [];
  const deliveryId = deliveryIdOfEvent(publicEventId(event.id));
  const source = { streamId: event.streamId, revision: event.revision };
  const facts = { deliveryId, ...webhook, source };
  const told = outcomes.map((outcome) => attempts[outcome]!(facts));
  return asStored(told, { streamId: webhookDeliveryStreamId(deliveryId) });
}

describe('partitions', () => {
  it.each(PROJECTIONS.map((projection) => [projection.name, projection] as const))(
    'of %s together contain the documents of the whole, each in its merchant’s partition',
    (_name, projection) => {
      let held = 0;
      fc.assert(
        fc.property(histories, fc.integer({ min: 2, max: 9 }), (events, count) => {
          const partitions = new Partitions(count);
          const parts = partitions.of(projection).map((part) => documentsOf(part, events));
          const whole = documentsOf(projection, events);
          const sum = parts.reduce((documents, part) => documents + part.size, 0);
          expect(sum).toBe(whole.size);
          expect(new Map(parts.flatMap((part) => [...part]))).toEqual(whole);
          for (const [index, part] of parts.entries()) {
            for (const document of part.values()) expect(partitions.indexOf(merchantOf(document))).toBe(index);
          }
          held += sum;
        }),
        { numRuns: propertyRuns(100) },
      );
      expect(held).toBeGreaterThan(0);
    },
  );

  it('have names with the count, so that partitions of another count differ', () => {
    expect(new Partitions(3).names('payments')).toEqual(['payments:0/3', 'payments:1/3', 'payments:2/3']);
    expect(new Partitions(3).of(paymentsProjection).map(({ name }) => name)).toEqual(
      new Partitions(3).names('payments'),
    );
    expect(new Partitions(3).names('payments').map(wholeName)).toEqual(['payments', 'payments', 'payments']);
    expect(wholeName('payments')).toBe('payments');
  });

  it('are the plain projection if there is only one', () => {
    expect(ONE_PARTITION.of(paymentsProjection)).toEqual([paymentsProjection]);
    expect(ONE_PARTITION.names('payments')).toEqual(['payments']);
    expect(ONE_PARTITION.nameFor('payments', 'm1')).toBe('payments');
  });

  it('are chosen by a hash that is the same in every process and spreads merchants evenly', () => {
    const partitions = new Partitions(4);
    const counts = [0, 0, 0, 0];
    for (let number = 0; number < 4_000; number += 1) {
      const merchantId = `merchant_${number}`;
      const digest = hash('sha256', merchantId, 'hex');
      const index = partitions.indexOf(merchantId);
      expect(index).toBe(Number.parseInt(digest.slice(0, 8), 16) % 4);
      expect(partitions.nameFor('payments', merchantId)).toBe(`payments:${index}/4`);
      counts[index] = counts[index]! + 1;
    }
    for (const count of counts) expect(count).toBeGreaterThan(900);
  });

  it('cache a limited number of merchants, and find the others all the same', () => {
    const partitions = new Partitions(7);
    const first = partitions.indexOf('merchant_0');
    for (let number = 0; number < 11_000; number += 1) partitions.indexOf(`merchant_${number}`);
    expect(partitions.indexOf('merchant_0')).toBe(first);
  });
});
