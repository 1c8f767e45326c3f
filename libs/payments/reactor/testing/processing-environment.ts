import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { noneSkipped } from '@app/event-sourcing/testing/observer';
import { CommandHandling } from '@app/event-sourcing';
import { type FeeSchedule, NO_FEES } from '@app/merchants/domain';
import { type PaymentCommand, paymentDecider, paymentStreamId } from '@app/payments/domain';
import { EXPIRES_AT, PAYMENT_ID, createRefund } from '@app/payments/testing/payments';
import type { PaymentGateway } from '@app/gateway/port';
import { processingProjection } from '@app/payments/read-models/processing-projection';
import { ProjectionProgress } from '@app/projections/progress';
import { ProjectorWorker } from '@app/projections/projector-worker';
import { Metrics } from '@app/platform/telemetry';
import { ManualClock, RecordingFindings, RecordingLogger, SeededRandom } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { MemoryReadStore } from '@app/stores/testing/memory-read-store';
import { DisputeWorker } from '../dispute-worker';
import { NoticedPayments } from '../noticed-payments';
import { PaymentWorker } from '../payment-worker';
import type { ScriptedGateway } from './scripted-gateway';

/** The creation time of the payments in the domain's specs: half an hour before they expire. */
export const START_MS = Date.parse(EXPIRES_AT) - 30 * 60_000;

/** The ids of the first and second refund of the specs' payment. */
export const [REFUND_ID = '', SECOND_REFUND_ID = ''] = ['1', '2'].map(
  (nth) => `ref_${PAYMENT_ID.slice('pay_'.length)}${nth.padStart(16, '0')}`,
);

export function askRefund(amountMinor: bigint, refundId = REFUND_ID, name = 'r1') {
  return createRefund(amountMinor, name, { refundId });
}

/** A payment worker with its dependencies, in memory and under a manual clock. */
export class ProcessingEnvironment<G extends PaymentGateway = ScriptedGateway> {
  readonly logger = new RecordingLogger();
  readonly findings = new RecordingFindings();
  readonly readStore = new MemoryReadStore();
  readonly handling: CommandHandling;
  /** Returns the fee schedule for captures; specs replace it. */
  feeScheduleOf: (merchantId: string) => FeeSchedule = () => NO_FEES;
  /** Throws for merchants that must not be served; specs replace it. */
  checkMerchant: (merchantId: string) => void = () => undefined;
  private readonly random = new SeededRandom();
  private readonly progress = new ProjectionProgress();
  private readonly running: { readonly stop: AbortController; readonly ended: Promise<unknown> }[] = [];
  private owners = 0;

  constructor(
    readonly gateway: G,
    readonly eventStore = new MemoryEventStore(),
    readonly clock = new ManualClock(START_MS),
  ) {
    const { random } = this;
    this.handling = new CommandHandling({ eventStore, clock, random, proofs: new SpecProofs() });
    const deps = { ...this.common(), eventStore, skipped: noneSkipped };
    this.run(new ProjectorWorker(processingProjection, deps));
  }

  /** Another worker, as in another process. */
  worker(handling = this.handling): PaymentWorker {
    this.owners += 1;
    const { gateway, owners } = this;
    return new PaymentWorker({ ...this.stepping(), handling, gateway, owner: `process-${owners}` });
  }

  /** The handler of gateway callbacks, as in any process. */
  noticed(): NoticedPayments {
    const { handling, gateway } = this;
    return new NoticedPayments({ ...this.stepping(), handling, gateway });
  }

  /** A worker that reads the gateway's dispute changes. */
  startDisputeWorker(handling = this.handling) {
    const { gateway, eventStore } = this;
    return this.run(new DisputeWorker({ ...this.common(), handling, gateway, eventStore }));
  }

  private stepping() {
    return {
      ...this.common(),
      feeScheduleOf: (merchantId: string) => this.feeScheduleOf(merchantId),
      checkMerchant: (merchantId: string) => this.checkMerchant(merchantId),
    };
  }

  /** Delivers the gateway's callback that the customer has finished. */
  customerFinished(paymentId = PAYMENT_ID): Promise<void> {
    return this.noticed().handle({ type: 'challenge-finished', paymentId });
  }

  startWorker(handling = this.handling) {
    return this.run(this.worker(handling));
  }

  async command(...commands: readonly PaymentCommand[]): Promise<void> {
    await this.commandOn(PAYMENT_ID, ...commands);
  }

  async commandOn(paymentId: string, ...commands: readonly PaymentCommand[]): Promise<void> {
    const context = { correlationId: 'request-1', causationId: null, actor: 'merchant:m1' };
    for (const command of commands) {
      await this.handling.handle(paymentDecider, paymentStreamId(paymentId), command, context);
    }
  }

  async payment(paymentId = PAYMENT_ID) {
    return (await this.handling.load(paymentDecider, paymentStreamId(paymentId))).state!;
  }

  async recorded() {
    return this.eventStore.readStream(paymentStreamId(PAYMENT_ID));
  }

  async types(): Promise<string[]> {
    return (await this.recorded()).map(({ type }) => type);
  }

  /** When deferred steps become due, in ms after they were deferred; jittered. */
  async delaysMs(): Promise<number[]> {
    const events = (await this.recorded()).filter(({ type }) => type === 'GatewayStepDeferred');
    return events.map(({ data, metadata }) => {
      const { dueAt } = JSON.parse(data) as { dueAt: string };
      return Date.parse(dueAt) - Date.parse((JSON.parse(metadata) as { recordedAt: string }).recordedAt);
    });
  }

  async stop(): Promise<void> {
    for (const { stop } of this.running) stop.abort();
    // Longer than the drain time, after which a gateway call in progress is given up.
    await this.clock.advance(10_000);
    await Promise.allSettled(this.running.map(({ ended }) => ended));
  }

  private common() {
    const { clock, logger, readStore, progress, random } = this;
    return { ...this.findings, clock, logger, readStore, progress, random, metrics: new Metrics() };
  }

  private run(worker: { run(signal: AbortSignal): Promise<void> }) {
    const stop = new AbortController();
    const ended = worker.run(stop.signal);
    ended.catch(() => undefined);
    const run = { stop, ended };
    this.running.push(run);
    return run;
  }
}
