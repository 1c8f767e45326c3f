import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { noneSkipped } from '@app/event-sourcing/testing/observer';
import {
  CancelPaymentCommand,
  CapturePaymentCommand,
  CreatePaymentCommand,
  CreateRefundCommand,
} from '@app/payments/commands/commands';
import { CancelPaymentHandler } from '@app/payments/commands/cancel-payment.handler';
import { CapturePaymentHandler } from '@app/payments/commands/capture-payment.handler';
import { CreatePaymentHandler } from '@app/payments/commands/create-payment.handler';
import { CreateRefundHandler } from '@app/payments/commands/create-refund.handler';
import { RequestFingerprints } from '@app/keys/fingerprints';
import { KeyRing } from '@app/keys/key-ring';
import { SecretCipher } from '@app/keys/secret-cipher';
import { NO_FEES } from '@app/merchants/domain';
import { MAX_REFUNDS } from '@app/payments/domain';
import type { SandboxGateway } from '@app/gateway';
import { CommandHandling, type EventStore, type EventToAppend, type ExpectedRevision } from '@app/event-sourcing';
import { timeAt, TO_DO } from '@app/event-sourcing/reactor/to-do-entries';
import { NoticedPayments } from '@app/payments/reactor/noticed-payments';
import { PaymentWorker } from '@app/payments/reactor/payment-worker';
import { PaymentHistory } from '@app/payments/read-models/history-query-handlers';
import { type PaymentBody } from '@app/payments/read-models/documents';
import { paymentsToProcessList, processingProjection } from '@app/payments/read-models/processing-projection';
import { ProjectionProgress } from '@app/projections/progress';
import { ProjectorWorker } from '@app/projections/projector-worker';
import { Metrics } from '@app/platform/telemetry';
import { RecordingFindings, RecordingLogger, SeededRandom } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { MemoryReadStore } from '@app/stores/testing/memory-read-store';
import type { LeapingClock } from './leaping-clock';
import { Life } from './mortal';
import { UnreliableGateway } from './unreliable-gateway';

const MERCHANT = { merchantId: 'm1', merchantName: 'Shop', correlationId: 'request' };
/** Everything is at rest once nothing has happened for this many turns of the event loop (a commit takes one). */
const QUIET_TURNS = 6;
/** More turns without any time passing mean an endless loop. */
const MAX_TURNS = 5_000;
/**
 * More due times than any payment needs to end once there are no more faults: a payment that awaits its customer is
 * polled every ten minutes, for days if the clock was days ahead when the customer's time was set.
 */
const MAX_DUE_TIMES = 1_500;

class CountingEventStore extends MemoryEventStore {
  appends = 0;

  override append(streamId: string, expected: ExpectedRevision, events: readonly EventToAppend[]) {
    this.appends += 1;
    return super.append(streamId, expected, events);
  }
}

/** The service without HTTP: its command handlers, projection and workers, with a sandbox that is hard to reach. */
export class PaymentWorld {
  readonly logger = new RecordingLogger();
  readonly findings = new RecordingFindings();
  readonly gateway: UnreliableGateway;
  private readonly eventStore = new CountingEventStore();
  private readonly history: PaymentHistory;
  private readonly random: SeededRandom;
  private readonly handling: CommandHandling;
  private readonly keyRing: KeyRing;
  private readonly fingerprints: RequestFingerprints;
  private readModel = this.emptyReadModel();
  private readonly workers: {
    readonly worker: PaymentWorker;
    readonly noticed: NoticedPayments;
    readonly life: Life;
    readonly stop: AbortController;
  }[] = [];
  private owners = 0;
  private readonly deafen: () => void;

  constructor(
    sandbox: SandboxGateway,
    readonly clock: LeapingClock,
    seed: number,
  ) {
    this.history = new PaymentHistory(this.eventStore, clock);
    this.random = new SeededRandom(seed);
    this.gateway = new UnreliableGateway(sandbox);
    this.handling = this.handlingOver(this.eventStore);
    const cipher = new SecretCipher(new Uint8Array(32), null, this.random);
    this.keyRing = new KeyRing({ eventStore: this.eventStore, cipher, clock, random: this.random });
    this.fingerprints = new RequestFingerprints(this.keyRing);
    this.deafen = sandbox.notices.onNotice((notice) => {
      void this.workers.at(-1)?.noticed.handle(notice);
    });
  }

  async start(): Promise<void> {
    await this.keyRing.load();
    this.startProjector();
    this.startWorker();
  }

  create(key: string, request: CreatePaymentCommand['request']) {
    const { handling, gateway, fingerprints, clock } = this;
    const handler = new CreatePaymentHandler(
      handling,
      gateway,
      fingerprints,
      { refusalOf: () => null },
      clock,
      new RecordingLogger(),
    );
    return handler.execute(new CreatePaymentCommand(MERCHANT, key, request));
  }

  capture(key: string, paymentId: string, request: CapturePaymentCommand['request']) {
    const handler = new CapturePaymentHandler(this.handling, this.fingerprints);
    return handler.execute(new CapturePaymentCommand(MERCHANT, key, paymentId, request));
  }

  cancel(key: string, paymentId: string, request: CancelPaymentCommand['request']) {
    const handler = new CancelPaymentHandler(this.handling, this.fingerprints);
    return handler.execute(new CancelPaymentCommand(MERCHANT, key, paymentId, request));
  }

  refund(key: string, paymentId: string, request: CreateRefundCommand['request']) {
    const { handling, fingerprints, clock } = this;
    const handler = new CreateRefundHandler(handling, fingerprints, { refusalOf: () => null }, clock);
    return handler.execute(new CreateRefundCommand(MERCHANT, key, paymentId, request));
  }

  /** The payment as of an event, by default the last one. */
  async read(paymentId: string, revision = Number.MAX_SAFE_INTEGER - 1): Promise<PaymentBody> {
    const body = await this.history.paymentAt(MERCHANT.merchantId, paymentId, revision);
    if (body === null) throw new Error(`${paymentId} is missing`);
    return body;
  }

  async refundsOf(paymentId: string) {
    const page = await this.history.refunds(MERCHANT.merchantId, paymentId, { after: null, limit: MAX_REFUNDS });
    return page?.items ?? [];
  }

  /** Starts another worker, as in another process. */
  startWorker(): void {
    const life = new Life();
    const stop = new AbortController();
    this.owners += 1;
    const deps = {
      handling: this.handlingOver(life.of<EventStore>(this.eventStore)),
      gateway: life.of(this.gateway),
      clock: this.clock,
      random: this.random,
      logger: this.logger,
      feeScheduleOf: () => NO_FEES,
      checkMerchant: () => undefined,
      ...this.findings,
    };
    const owner = `process-${this.owners}`;
    const readStore = life.of(this.readModel.readStore);
    const worker = new PaymentWorker({ ...this.readModel, ...deps, readStore, owner });
    this.workers.push({ worker, noticed: new NoticedPayments(deps), life, stop });
    void worker.run(stop.signal);
  }

  /** Kills all workers: their sent requests remain in transit, and their leases last until they end. */
  kill(): void {
    for (const { life, stop } of this.workers.splice(0)) {
      life.end();
      stop.abort();
    }
  }

  /** Deletes the to-do list; it is rebuilt from the log. */
  async loseReadModel(): Promise<void> {
    this.kill();
    this.readModel.stop.abort();
    this.readModel = this.emptyReadModel();
    this.startProjector();
    this.startWorker();
    await this.rest();
  }

  async leap(ms: number): Promise<void> {
    this.clock.leap(ms);
    await this.rest();
  }

  /** Sets the wall clock's offset. */
  async setOff(ms: number): Promise<void> {
    this.clock.setOff(ms);
    // Every part of the service reads the clock more than once a second.
    await this.leap(1_000);
  }

  /** Waits until nothing more happens without time passing. */
  async rest(): Promise<void> {
    let before = -1;
    let quiet = 0;
    for (let turn = 0; quiet < QUIET_TURNS; turn += 1) {
      if (turn === MAX_TURNS) throw new Error('The service never comes to rest');
      await new Promise<void>((resolve) => setImmediate(resolve));
      const now = this.gateway.activity + this.eventStore.appends;
      quiet = now === before ? quiet + 1 : 0;
      before = now;
    }
  }

  /** Advances from one due time to the next until nothing is left to do. */
  async untilDone(): Promise<void> {
    this.gateway.faults = [];
    await this.rest();
    const { readStore } = this.readModel;
    for (let count = 0; count < MAX_DUE_TIMES; count += 1) {
      const first = { name: paymentsToProcessList, direction: 'ascending' as const, after: null, limit: 1 };
      const [atOnce, later] = await Promise.all([
        readStore.page({ ...first, list: TO_DO.now }),
        readStore.page({ ...first, list: TO_DO.later }),
      ]);
      const [next] = later;
      if (atOnce.length === 0 && next === undefined) return;
      const dueInMs = atOnce.length > 0 || next === undefined ? 0 : timeAt(next.order) - this.clock.settledMs();
      await this.leap(Math.max(1_000, dueInMs));
    }
    throw new Error('The payments never come to rest');
  }

  end(): void {
    this.kill();
    this.readModel.stop.abort();
    this.deafen();
    // Wakes whatever sleeps, so that it sees that it has to end.
    this.clock.leap(0);
  }

  private emptyReadModel() {
    return { readStore: new MemoryReadStore(), progress: new ProjectionProgress(), stop: new AbortController() };
  }

  private startProjector(): void {
    const { readStore, progress, stop } = this.readModel;
    const { eventStore, clock, logger } = this;
    const deps = {
      eventStore,
      readStore,
      clock,
      logger,
      metrics: new Metrics(),
      progress,
      declaredVersion: 1,
      damaged: this.findings.damaged,
      skipped: noneSkipped,
    };
    void new ProjectorWorker(processingProjection, deps).run(stop.signal);
  }

  private handlingOver(eventStore: EventStore): CommandHandling {
    return new CommandHandling({ eventStore, clock: this.clock, random: this.random, proofs: new SpecProofs() });
  }
}
