import { CommandHandling } from '@app/kernel';
import { paymentDecider, paymentStreamId, publicEventId } from '@app/domain/payment';
import { COMPLETED, PAYMENT_ID } from '@app/domain/testing/payments';
import {
  deliveryIdOfEvent,
  type WebhookDeliveryCommand,
  webhookDeliveryDecider,
  webhookDeliveryStreamId,
} from '@app/domain/webhook-delivery';
import { paymentsProjection, ProjectionProgress, ProjectorWorker } from '@app/projections';
import { Metrics, sha256Netstrings, type Worker } from '@app/runtime';
import { ManualClock, RecordingLogger, SeededRandom, settle } from '@app/runtime/testing';
import { MemoryEventStore } from '@app/storage/memory/event-store';
import { MemoryReadStore } from '@app/storage/memory/read-store';
import type { DeliveryAttempt, WebhookRequest } from './http-client';
import { MAX_ATTEMPTS } from './schedule';
import { WebhookWorker } from './webhook-worker';

const context = { correlationId: 'r', causationId: null, actor: 'spec' };
const SECRETS = { current: 'whsec_c2VjcmV0', previous: null };

/** A payment that was completed, and a worker that tells of it. */
class Environment {
  readonly clock = new ManualClock();
  readonly sent: WebhookRequest[] = [];
  readonly logger = new RecordingLogger();
  /** What becomes of an attempt. */
  deliver: () => Promise<DeliveryAttempt> = async () => answered(500);
  private readonly eventStore = new MemoryEventStore();
  private readonly readStore = new MemoryReadStore();
  private readonly random = new SeededRandom();
  private readonly handling: CommandHandling;
  private readonly running: { readonly stop: AbortController; readonly ended: Promise<void> }[] = [];

  constructor() {
    const { eventStore, clock, random } = this;
    this.handling = new CommandHandling({ eventStore, clock, random, hash: sha256Netstrings });
  }

  async complete(): Promise<string> {
    const streamId = paymentStreamId(PAYMENT_ID);
    for (const command of COMPLETED) await this.handling.handle(paymentDecider, streamId, command, context);
    const events = await this.eventStore.readStream(streamId);
    return deliveryIdOfEvent(publicEventId(events.find(({ type }) => type === 'PaymentCaptured')!.id));
  }

  async decide(command: WebhookDeliveryCommand): Promise<void> {
    const streamId = webhookDeliveryStreamId(command.delivery.deliveryId);
    await this.handling.handle(webhookDeliveryDecider, streamId, command, context);
  }

  async history(deliveryId: string) {
    const events = await this.eventStore.readStream(webhookDeliveryStreamId(deliveryId));
    return events.map(({ type, data, metadata }) => ({
      type,
      data: JSON.parse(data) as Record<string, unknown>,
      at: Date.parse((JSON.parse(metadata) as { recordedAt: string }).recordedAt),
    }));
  }

  start(): void {
    const { clock, logger, eventStore, readStore, random, handling } = this;
    const progress = new ProjectionProgress();
    const common = { clock, logger, eventStore, readStore, metrics: new Metrics(), progress };
    const client = {
      deliver: (request: WebhookRequest) => {
        this.sent.push(request);
        return this.deliver();
      },
    };
    this.run(new ProjectorWorker(paymentsProjection, { ...common, codeHash: 'c' }));
    this.run(new WebhookWorker({ ...common, random, handling, client, owner: 'p', secretsOf: () => SECRETS }));
  }

  async stop(): Promise<void> {
    for (const { stop } of this.running) stop.abort();
    await this.clock.advance(10_000);
    await Promise.all(this.running.map(({ ended }) => ended));
  }

  private run(worker: Worker): void {
    const stop = new AbortController();
    this.running.push({ stop, ended: worker.run(stop.signal) });
  }
}

const answered = (status: number): DeliveryAttempt => ({
  kind: 'response',
  status,
  retryAfterMs: null,
  durationMs: 3,
});

describe('a redelivery', () => {
  let environment: Environment;
  let deliveryId: string;

  beforeEach(async () => {
    environment = new Environment();
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
  const request = () => environment.decide({ kind: 'RequestRedelivery', delivery: delivery() });

  it('of an exhausted webhook has the whole retry schedule ahead of it, and goes on counting', async () => {
    const failure = { stage: 'response', code: 'HTTP_500', httpStatus: 500 };
    const now = '2026-01-15T12:00:00.000Z';
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const outcome =
        attempt < MAX_ATTEMPTS
          ? ({ kind: 'failed', failure, nextAttemptAt: now } as const)
          : ({ kind: 'exhausted', failure, cause: 'ATTEMPTS_USED_UP' } as const);
      await environment.decide({
        kind: 'RecordAttempt',
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
    // Without it, 410 would have ended the delivery; a plain failure would have put it off for five minutes.
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
