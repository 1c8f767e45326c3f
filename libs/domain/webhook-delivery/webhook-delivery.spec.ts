import { asStored, given } from '@app/kernel/testing/given-when-then';
import * as fc from 'fast-check';
import {
  type AttemptOutcome,
  deliveryIdOfEvent,
  NOT_ATTEMPTED,
  receiverGroup,
  type RecordAttempt,
  type WebhookDeliveryEvent,
  webhookDeliveryDecider,
  webhookDeliveryStreamId,
} from '.';

const ID = '00000000008008000000000003';
const delivery = {
  deliveryId: `whd_${ID}`,
  merchantId: 'm1',
  url: 'https://shop.test/hook',
  eventType: 'payment.completed',
  source: { streamId: 'payment-1', revision: 3 },
};
const failure = { stage: 'response', code: 'HTTP_STATUS', httpStatus: 500 };
const nextAttemptAt = '2026-01-15T12:00:05.000Z';
const delivered: AttemptOutcome = { kind: 'delivered', httpStatus: 204 };
const failed: AttemptOutcome = { kind: 'failed', failure, nextAttemptAt };
const exhausted: AttemptOutcome = { kind: 'exhausted', failure, cause: 'RECEIVER_GONE' };

const attempt = (number: number, outcome: AttemptOutcome): RecordAttempt => ({
  kind: 'RecordAttempt',
  delivery,
  attempt: number,
  durationMs: 12,
  outcome,
});
const facts = { ...delivery, durationMs: 12 };
const attemptFailed = (number: number): WebhookDeliveryEvent => ({
  type: 'WebhookAttemptFailed',
  data: { ...facts, attempt: number, failure, nextAttemptAt },
});
const wasDelivered: WebhookDeliveryEvent = {
  type: 'WebhookDelivered',
  data: { ...facts, attempt: 1, httpStatus: 204 },
};
const wasExhausted: WebhookDeliveryEvent = {
  type: 'WebhookDeliveryExhausted',
  data: { ...facts, attempt: 1, failure, cause: 'RECEIVER_GONE' },
};

describe('an attempt', () => {
  it.each([
    ['was acknowledged', delivered, wasDelivered],
    ['failed', failed, attemptFailed(1)],
    ['was the last', exhausted, wasExhausted],
  ])('is recorded with all that has to be known of it when it %s', (_name, outcome, event) => {
    given(webhookDeliveryDecider).when(attempt(1, outcome)).thenEvents(event);
  });

  it('follows the one before', () => {
    const twice = given(webhookDeliveryDecider, attemptFailed(1), attemptFailed(2));
    expect(twice.state).toEqual({ status: 'PENDING', attempts: 2, nextAttemptAt });
    twice.when(attempt(3, failed)).thenEvents(attemptFailed(3));
    twice.when(attempt(2, delivered)).thenNothing();
    twice.when(attempt(4, delivered)).thenNothing();
  });

  it.each([
    ['was delivered', wasDelivered, 'DELIVERED'],
    ['is exhausted', wasExhausted, 'EXHAUSTED'],
  ])('changes nothing once the delivery %s', (_name, event, status) => {
    const ended = given(webhookDeliveryDecider, event);
    expect(ended.state).toMatchObject({ status, attempts: 1 });
    for (const outcome of [delivered, failed, exhausted]) ended.when(attempt(2, outcome)).thenNothing();
  });

  it('is recorded once, however often that is asked for', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.constantFrom(delivered, failed, exhausted))),
        (tried) => {
          const seen: number[] = [];
          let state = NOT_ATTEMPTED;
          for (const [number, outcome] of tried) {
            const decision = webhookDeliveryDecider.decide(attempt(number, outcome), state);
            if (decision.kind !== 'accepted') continue;
            seen.push(...decision.events.map(({ data }) => data.attempt));
            state = asStored(decision.events).reduce(webhookDeliveryDecider.evolve, state);
            expect(webhookDeliveryDecider.decide(attempt(number, outcome), state)).toEqual({
              kind: 'accepted',
              events: [],
            });
          }
          expect(seen).toEqual(seen.map((_, index) => index + 1));
        },
      ),
    );
  });
});

describe('a delivery', () => {
  it("has its event's id, and a stream named after it", () => {
    expect(deliveryIdOfEvent(`evt_${ID}`)).toBe(`whd_${ID}`);
    expect(webhookDeliveryStreamId(`whd_${ID}`)).toBe(`webhookDelivery-${ID}`);
  });

  it('takes its turn by merchant, then by scheme, host and port', () => {
    const group = receiverGroup('m1', 'https://shop.test/hook');
    expect(receiverGroup('m1', 'https://SHOP.test:443/other?x')).toBe(group);
    for (const url of ['http://shop.test/hook', 'https://shop.test:444/hook', 'https://other.test/hook', 'nonsense']) {
      expect(receiverGroup('m1', url)).not.toBe(group);
    }
    expect(receiverGroup('m2', 'https://shop.test/hook')).not.toBe(group);
  });
});
