import { dueAfter } from '@app/event-sourcing';
import { asStored, given } from '@app/event-sourcing/testing/given-when-then';
import * as fc from 'fast-check';
import {
  type AttemptOutcome,
  deliveryIdOfEvent,
  NOT_ATTEMPTED,
  hostOfReceiver,
  receiverGroup,
  type RecordAttempt,
  type RequestRedelivery,
  type WebhookDeliveryEvent,
  webhookDeliveryDecider,
  webhookDeliveryStreamId,
} from './';

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

const NOW = '2026-01-15T12:00:01.000Z';

const attempt = (number: number, outcome: AttemptOutcome, scheduleBegan = 0): RecordAttempt => ({
  type: 'RecordAttempt',
  delivery,
  attempt: number,
  scheduleBegan,
  durationMs: 12,
  outcome,
  now: NOW,
});
const redelivery: RequestRedelivery = { type: 'RequestRedelivery', delivery };
const askedAgain: WebhookDeliveryEvent = { type: 'WebhookRedeliveryRequested', data: delivery };
const facts = { ...delivery, durationMs: 12 };
const attemptFailed = (number: number): WebhookDeliveryEvent => ({
  type: 'WebhookAttemptFailed',
  data: { ...facts, attempt: number, failure, nextAttemptAt, scheduledAt: NOW },
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
    expect(twice.state).toEqual({
      status: 'PENDING',
      attempts: 2,
      scheduleBegan: 0,
      requestIds: [],
      wait: dueAfter(Date.parse(NOW), Date.parse(nextAttemptAt)),
    });
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
            seen.push(...decision.events.flatMap(({ data }) => ('attempt' in data ? data.attempt : [])));
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

describe('a redelivery', () => {
  it.each([
    ['was delivered', [wasDelivered]],
    ['is exhausted', [wasExhausted]],
    ['waits for its next attempt', [attemptFailed(1)]],
  ])('may be asked for once a delivery %s; it is due at once then, with its retries anew', (_state, history) => {
    given(webhookDeliveryDecider, ...history)
      .when(redelivery)
      .thenEvents(askedAgain);
    const { state } = given(webhookDeliveryDecider, ...history, askedAgain);
    expect(state).toEqual({ status: 'PENDING', attempts: 1, scheduleBegan: 1, requestIds: [], wait: null });
  });

  it('is not owed twice, nor where the first attempt is still to come', () => {
    given(webhookDeliveryDecider).when(redelivery).thenNothing();
    given(webhookDeliveryDecider, wasDelivered, askedAgain).when(redelivery).thenNothing();
  });

  it('goes on counting its attempts', () => {
    given(webhookDeliveryDecider, wasDelivered, askedAgain)
      .when(attempt(2, failed, 1))
      .thenEvents(attemptFailed(2));
  });

  it('that was asked for while an attempt was under way is still owed when that fails, and not when it does not', () => {
    const meanwhile = given(webhookDeliveryDecider, attemptFailed(1), askedAgain);
    const owed: WebhookDeliveryEvent = {
      type: 'WebhookAttemptFailed',
      data: { ...facts, attempt: 2, failure, nextAttemptAt: NOW, scheduledAt: NOW },
    };
    meanwhile.when(attempt(2, failed, 0)).thenEvents(owed);
    meanwhile.when(attempt(2, exhausted, 0)).thenEvents(owed);
    const { decision } = meanwhile.when(attempt(2, delivered, 0));
    expect(decision).toMatchObject({ events: [{ type: 'WebhookDelivered' }] });
  });
});

describe('a delivery', () => {
  it("has its event's id, and a stream named after it", () => {
    expect(deliveryIdOfEvent(`evt_${ID}`)).toBe(`whd_${ID}`);
    expect(webhookDeliveryStreamId(`whd_${ID}`)).toBe(`webhookDelivery-${ID}`);
  });

  it('takes its turn by merchant, then by scheme, host, port and path', () => {
    const group = receiverGroup('m1', 'https://shop.test/hook');
    expect(receiverGroup('m1', 'https://SHOP.test:443/hook?x#y')).toBe(group);
    const others = ['http://shop.test/hook', 'https://shop.test:444/hook', 'https://other.test/hook', 'nonsense'];
    for (const url of [...others, 'https://shop.test/other', 'https://shop.test/hook/', 'https://shop.test']) {
      expect(receiverGroup('m1', url)).not.toBe(group);
    }
    expect(receiverGroup('m2', 'https://shop.test/hook')).not.toBe(group);
  });

  it('shares its host with all paths of it, of which a bounded number is told apart', () => {
    const urls = Array.from({ length: 1_000 }, (_, n) => `https://shop.test/hook/${n}`);
    const groups = new Set(urls.map((url) => receiverGroup('m1', url)));
    expect(groups.size).toBe(64);
    expect(new Set([...groups].map(hostOfReceiver))).toEqual(new Set(['m1|https://shop.test']));
  });
});
