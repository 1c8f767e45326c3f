import { paymentStreamId } from '@app/payments/domain';
import { PAYMENT_ID } from '@app/payments/testing/payments';
import { settle } from '@app/platform/testing';
import type { DeliveryAttempt } from '@app/webhooks/delivery/http-client';
import { MAX_ATTEMPTS } from './schedule';
import { answered, WebhookEnvironment } from '@app/webhooks/testing/webhook-environment';

describe('a redelivery', () => {
  let environment: WebhookEnvironment;
  let deliveryId: string;

  beforeEach(async () => {
    environment = new WebhookEnvironment();
    deliveryId = await environment.complete();
  });
  afterEach(() => environment.stop());

  const delivery = () => ({
    deliveryId,
    merchantId: 'm1',
    url: 'https://shop.test/hook',
    eventType: 'payment.completed',
    source: { streamId: paymentStreamId(PAYMENT_ID), revision: 3 },
  });
  const attemptsSent = () => environment.sent.map(({ headers }) => headers['X-Webhook-Attempt']);
  const request = () => environment.decide({ type: 'RequestRedelivery', delivery: delivery() });

  it('keeps what the receiver said with the attempt that it refused', async () => {
    const said = [answered(503, 'Down'), answered(500), answered(410, 'Gone')];
    environment.deliver = async () => said.shift() ?? answered(204);
    environment.start();
    await environment.clock.advance(10_000);
    await environment.clock.advance(600_000);
    const failures = (await environment.history(deliveryId)).map(({ data }) => data['failure']);
    expect(failures).toEqual([
      { stage: 'response', code: 'HTTP_503', httpStatus: 503, answer: 'Down' },
      { stage: 'response', code: 'HTTP_500', httpStatus: 500 },
      { stage: 'response', code: 'HTTP_410', httpStatus: 410, answer: 'Gone' },
    ]);
  });

  it('of an exhausted webhook has the whole retry schedule ahead of it, and goes on counting', async () => {
    const failure = { stage: 'response', code: 'HTTP_500', httpStatus: 500 };
    const now = '2026-01-15T12:00:00.000Z';
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const outcome =
        attempt < MAX_ATTEMPTS
          ? ({ kind: 'failed', failure, nextAttemptAt: now } as const)
          : ({ kind: 'exhausted', failure, cause: 'ATTEMPTS_USED_UP' } as const);
      await environment.decide({
        type: 'RecordAttempt',
        delivery: delivery(),
        attempt,
        scheduleBegan: 0,
        durationMs: 1,
        outcome,
        now,
      });
    }
    environment.start();
    await environment.clock.advance(2_000);
    expect(environment.sent).toEqual([]);
    await request();
    await environment.clock.advance(2_000);
    expect(attemptsSent()).toEqual([String(MAX_ATTEMPTS + 1)]);
    const last = (await environment.history(deliveryId)).at(-1)!;
    expect(last).toMatchObject({ type: 'WebhookAttemptFailed', data: { attempt: MAX_ATTEMPTS + 1 } });
    const waitMs = Date.parse(String(last.data['nextAttemptAt'])) - last.at;
    expect(waitMs).toBeGreaterThanOrEqual(4_000);
    expect(waitMs).toBeLessThanOrEqual(6_000);
    environment.deliver = async () => answered(204);
    await environment.clock.advance(10_000);
    expect(attemptsSent()).toEqual([String(MAX_ATTEMPTS + 1), String(MAX_ATTEMPTS + 2)]);
    expect((await environment.history(deliveryId)).at(-1)).toMatchObject({ type: 'WebhookDelivered' });
  });

  it('of an acknowledged webhook sends the very same bytes under the same id', async () => {
    environment.deliver = async () => answered(200);
    environment.start();
    await environment.clock.advance(2_000);
    await request();
    await environment.clock.advance(2_000);
    const [first, second] = environment.sent;
    expect(attemptsSent()).toEqual(['1', '2']);
    const lines = environment.logger.records.filter(({ message }) => message === 'webhook');
    expect(lines.map(({ fields }) => [fields['attempt'], fields['paymentId']])).toEqual([
      [1, PAYMENT_ID],
      [2, PAYMENT_ID],
    ]);
    expect(second!.body).toEqual(first!.body);
    expect(second!.headers['X-Webhook-ID']).toBe(first!.headers['X-Webhook-ID']);
  });

  it('asked for during an attempt follows that one when it fails, at once', async () => {
    const held = Promise.withResolvers<DeliveryAttempt>();
    environment.start();
    await environment.clock.advance(2_000);
    expect(attemptsSent()).toEqual(['1']);
    environment.deliver = () => held.promise;
    await environment.clock.advance(6_000);
    expect(attemptsSent()).toEqual(['1', '2']);
    await request();
    environment.deliver = async () => answered(204);
    held.resolve(answered(410));
    await settle();
    // Without the redelivery, 410 would have ended the delivery; a plain failure would have deferred it for five
    // minutes.
    await environment.clock.advance(2_000);
    expect(attemptsSent()).toEqual(['1', '2', '3']);
    expect((await environment.history(deliveryId)).map(({ type }) => type)).toEqual([
      'WebhookAttemptFailed',
      'WebhookRedeliveryRequested',
      'WebhookAttemptFailed',
      'WebhookDelivered',
    ]);
  });
});
