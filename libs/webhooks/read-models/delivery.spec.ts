import { type PaymentEvent, paymentStreamId } from '@app/payments/domain';
import { COMPLETED, PAYMENT_ID, play } from '@app/payments/testing/payments';
import { type WebhookDeliveryEvent, webhookDeliveryStreamId } from '@app/webhooks/domain';
import { type DomainEvent, foldDocument, isoTime, type StoredEvent } from '@app/event-sourcing';
import { asStored, SPEC_START_MS } from '@app/event-sourcing/testing/given-when-then';
import { MAX_ATTEMPTS_SHOWN, webhookDelivery, type WebhookDeliveryDocument } from './delivery';

const DELIVERY_ID = 'whd_00000000008008000000000003';
const failure = { stage: 'response', code: 'HTTP_500', httpStatus: 500 };
const nextAttemptAt = '2026-01-15T12:05:00.000Z';

function documentAfter(...events: readonly DomainEvent[]): WebhookDeliveryDocument {
  const options = { streamId: webhookDeliveryStreamId(DELIVERY_ID), startMs: SPEC_START_MS + 60_000 };
  const all = [...play(COMPLETED).stored, ...asStored(events, options)];
  return foldDocument(
    webhookDelivery,
    DELIVERY_ID,
    all as unknown as StoredEvent<PaymentEvent | WebhookDeliveryEvent>[],
  )!;
}

const facts = factsOf(documentAfter());
const tried = (type: WebhookDeliveryEvent['type'], attempt: number, own: object): DomainEvent => ({
  type,
  data: { ...facts, attempt, durationMs: 7, ...own },
});
const failed = (attempt: number) => tried('WebhookAttemptFailed', attempt, { failure, nextAttemptAt });
const delivered = (attempt: number) => tried('WebhookDelivered', attempt, { httpStatus: 204 });
const exhausted = (attempt: number) =>
  tried('WebhookDeliveryExhausted', attempt, {
    failure: { stage: 'timeout', code: 'TIMEOUT', httpStatus: null },
    cause: 'ATTEMPTS_USED_UP',
  });
const askedAgain: DomainEvent = { type: 'WebhookRedeliveryRequested', data: facts };
const at = (second: number) => isoTime(SPEC_START_MS + 60_000 + second * 1_000);

describe('the document of a delivery', () => {
  it('begins with the event that it tells of', () => {
    expect(documentAfter()).toEqual({
      source: { streamId: paymentStreamId(PAYMENT_ID), revision: 3 },
      nextRevision: 0,
      body: {
        deliveryId: DELIVERY_ID,
        merchantId: 'm1',
        eventId: 'evt_00000000008008000000000003',
        eventType: 'payment.completed',
        url: 'https://shop.test/hook',
        status: 'PENDING',
        createdAt: isoTime(SPEC_START_MS + 2_000),
        nextAttemptAt: isoTime(SPEC_START_MS + 2_000),
        attemptCount: 0,
        attempts: [],
      },
    });
  });

  it('shows each attempt, and what it has come to', () => {
    const first = { attempt: 1, at: at(0), outcome: 'FAILED', httpStatus: 500, failureCode: 'HTTP_500', durationMs: 7 };
    const { body } = documentAfter(failed(1));
    expect(body).toMatchObject({ status: 'PENDING', nextAttemptAt, attemptCount: 1, attempts: [first] });
    expect(documentAfter(failed(1), delivered(2)).body).toMatchObject({
      status: 'DELIVERED',
      nextAttemptAt: null,
      attempts: [first, { attempt: 2, at: at(1), outcome: 'DELIVERED', httpStatus: 204, failureCode: null }],
    });
    expect(documentAfter(exhausted(1)).body).toMatchObject({
      status: 'EXHAUSTED',
      nextAttemptAt: null,
      attempts: [{ attempt: 1, outcome: 'FAILED', httpStatus: null, failureCode: 'TIMEOUT' }],
    });
  });

  it('is pending and due again once a redelivery was asked for', () => {
    for (const end of [delivered(1), exhausted(1), failed(1)]) {
      expect(documentAfter(end, askedAgain)).toMatchObject({
        nextRevision: 2,
        body: { status: 'PENDING', nextAttemptAt: at(1), attemptCount: 1, attempts: [{ attempt: 1 }] },
      });
    }
  });

  it('keeps the last attempts only, and counts them all', () => {
    const many = Array.from({ length: MAX_ATTEMPTS_SHOWN + 3 }, (_, index) => failed(index + 1));
    const { attempts, attemptCount } = documentAfter(...many).body;
    expect(attemptCount).toBe(MAX_ATTEMPTS_SHOWN + 3);
    expect(attempts.map(({ attempt }) => attempt)).toEqual(
      Array.from({ length: MAX_ATTEMPTS_SHOWN }, (_, index) => index + 4),
    );
  });

  it("stands in its merchant's lists and in the operator's, with its status and without", () => {
    const order = `${isoTime(SPEC_START_MS + 2_000)}|${DELIVERY_ID}`;
    const lists = (document: WebhookDeliveryDocument) => webhookDelivery.listEntries!(document);
    expect(lists(documentAfter())).toEqual(['m1', 'm1|PENDING', '*', '*|PENDING'].map((list) => ({ list, order })));
    expect(lists(documentAfter(exhausted(1))).map(({ list }) => list)).toEqual([
      'm1',
      'm1|EXHAUSTED',
      '*',
      '*|EXHAUSTED',
    ]);
  });
});

/** The delivery's facts as the log holds them. */
function factsOf({ body, source }: Pick<WebhookDeliveryDocument, 'body' | 'source'>) {
  const { deliveryId, merchantId, url, eventType } = body;
  return { deliveryId, merchantId, url, eventType, source };
}
