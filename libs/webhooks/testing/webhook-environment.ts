import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { noneSkipped } from '@app/event-sourcing/testing/observer';
import { CommandHandling } from '@app/event-sourcing';
import { type CreatePayment, paymentDecider, paymentStreamId, publicEventId } from '@app/payments/domain';
import { authorization, captureWord, create, PAYMENT_ID } from '@app/payments/testing/payments';
import {
  deliveryIdOfEvent,
  type WebhookDeliveryCommand,
  webhookDeliveryDecider,
  webhookDeliveryStreamId,
} from '@app/webhooks/domain';
import { paymentsProjection } from '@app/payments/read-models/projection';
import { ProjectionProgress } from '@app/projections/progress';
import { ProjectorWorker } from '@app/projections/projector-worker';
import { Metrics } from '@app/platform/telemetry';
import { type Worker } from '@app/platform/lifecycle';
import { ManualClock, RecordingFindings, RecordingLogger, SeededRandom } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { MemoryReadStore } from '@app/stores/testing/memory-read-store';
import type { DeliveryAttempt, WebhookRequest } from '@app/webhooks/delivery/http-client';
import { WebhookWorker } from '@app/webhooks/reactor/webhook-worker';

const context = { correlationId: 'r', causationId: null, actor: 'spec' };
const SECRETS = { current: 'whsec_c2VjcmV0', previous: [] };

/** Completed payments and a worker that sends their webhooks, in memory and under a manual clock. */
export class WebhookEnvironment {
  readonly clock = new ManualClock();
  readonly sent: WebhookRequest[] = [];
  readonly logger = new RecordingLogger();
  readonly findings = new RecordingFindings();
  /** The outcome of an attempt; specs replace it. */
  deliver: (request: WebhookRequest) => Promise<DeliveryAttempt> = async () => answered(500);
  readonly eventStore = new MemoryEventStore();
  readonly readStore = new MemoryReadStore();
  private readonly random = new SeededRandom();
  private readonly handling: CommandHandling;
  private readonly running: { readonly stop: AbortController; readonly ended: Promise<void> }[] = [];

  constructor() {
    const { eventStore, clock, random } = this;
    this.handling = new CommandHandling({ eventStore, clock, random, proofs: new SpecProofs() });
  }

  /** @returns the id of the delivery for the completed payment. */
  async complete(change: Partial<CreatePayment['payment']> = {}): Promise<string> {
    const streamId = paymentStreamId(change.paymentId ?? PAYMENT_ID);
    for (const command of [create(change), authorization(), captureWord()]) {
      await this.handling.handle(paymentDecider, streamId, command, context);
    }
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
    const common = { ...this.findings, clock, logger, eventStore, readStore, metrics: new Metrics(), progress };
    const client = {
      deliver: (request: WebhookRequest) => {
        this.sent.push(request);
        return this.deliver(request);
      },
    };
    this.run(new ProjectorWorker(paymentsProjection, { ...common, skipped: noneSkipped }));
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

export const answered = (status: number, beginning: string | null = null): DeliveryAttempt => ({
  kind: 'response',
  status,
  beginning,
  retryAfterMs: null,
  durationMs: 3,
});
