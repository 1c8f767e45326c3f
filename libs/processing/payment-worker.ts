import { type ClaimedItem, type CommandHandling, isoTime, type ReadStore, runWorkList } from '@app/kernel';
import {
  type DeferStep,
  nextRefundStep,
  nextStep,
  type Origin,
  type Payment,
  type PaymentCommand,
  paymentDecider,
  paymentStreamId,
  type Step,
} from '@app/domain/payment';
import { paymentsToProcessList, type PaymentToProcess, type ProjectionProgress } from '@app/projections';
import { Nudge, type Worker } from '@app/runtime';
import { call, type GatewayCallDependencies, type NextCommand } from './gateway-calls';
import { nextTryAtMs } from './retry-schedule';
import { performRefund, performStep } from './steps';

/** Payments worked on at the same time. */
const CONCURRENCY = 64;
/** A payment takes at most a handful of steps in one go; more would be a circle. */
const MAX_STEPS = 8;
/** At shutdown a gateway call in hand may take this long before it is given up as unknown. */
const DRAIN_MS = 6_000;

export interface PaymentWorkerDependencies extends GatewayCallDependencies {
  readonly handling: CommandHandling;
  readonly readStore: ReadStore;
  readonly progress: ProjectionProgress;
  /** Unique for each running process. */
  readonly owner: string;
}

/**
 * Works off what payments ask of the gateway. It keeps no state: it folds the stream, does what the state asks for under a
 * reference that never changes, and records the outcome as an event. Any number may run.
 */
export class PaymentWorker implements Worker {
  readonly name = 'payments';
  private readonly nudge: Nudge;

  constructor(private readonly deps: PaymentWorkerDependencies) {
    this.nudge = new Nudge(deps.clock);
    deps.progress.onAdvanced(() => this.nudge.wake());
  }

  async run(signal: AbortSignal): Promise<void> {
    const { progress, clock, logger, readStore, owner } = this.deps;
    const projection = paymentsToProcessList.projection;
    const hurry = new AbortController();
    const drain = () => void clock.sleep(DRAIN_MS, hurry.signal).then(() => hurry.abort());
    signal.addEventListener('abort', drain, { once: true });
    const options = {
      list: paymentsToProcessList,
      readStore,
      clock,
      owner,
      concurrency: CONCURRENCY,
      isComplete: () => progress.isComplete(projection),
      wait: (ms: number, stop: AbortSignal) => this.nudge.wait(ms, stop),
      wake: () => this.nudge.wake(),
      reached: async (position: bigint, limitMs: number) => {
        const limit = clock.deadline(limitMs);
        await progress.reached(projection, position, limit.signal);
        limit.clear();
      },
      perform: (item: ClaimedItem, stop: AbortSignal) => this.process(item.document as PaymentToProcess, stop),
      failed: (item: ClaimedItem, error: unknown) =>
        logger.error('processing a payment failed', { item: item.key }, error as Error),
    };
    try {
      await runWorkList(options, signal, hurry.signal);
    } finally {
      hurry.abort();
    }
  }

  /** The customer is said to have finished their action: look at once instead of at the next poll. */
  async customerFinished(paymentId: string): Promise<void> {
    const loaded = await this.deps.handling.load(paymentDecider, paymentStreamId(paymentId));
    const payment = loaded.state;
    if (payment === null || nextStep(payment)?.operation !== 'AWAIT_CUSTOMER') return;
    const { gatewayReference } = payment.created;
    const called = await call(this.deps, 'AWAIT_CUSTOMER', new AbortController().signal, (signal) =>
      this.deps.gateway.challengeState(gatewayReference, signal),
    );
    if (!('answer' in called) || called.answer === 'pending') return;
    await this.record(paymentId, { kind: 'RecordChallenge', outcome: called.answer }, payment.origin);
  }

  private async process({ paymentId, refundId }: PaymentToProcess, hurry: AbortSignal): Promise<bigint | null> {
    let position: bigint | null = null;
    let payment = (await this.deps.handling.load(paymentDecider, paymentStreamId(paymentId))).state;
    for (let steps = 0; steps < MAX_STEPS && payment !== null && !hurry.aborted; steps += 1) {
      const refund = refundId === null ? undefined : payment.refunds[refundId];
      const step = refund === undefined ? nextStep(payment) : nextRefundStep(refund);
      if (step === null || Date.parse(step.dueAt) > this.deps.clock.nowMs()) break;
      const next =
        refund === undefined
          ? await performStep(this.deps, payment, step, hurry)
          : await performRefund(this.deps, payment, refund, step, hurry);
      const command = 'command' in next ? next.command : this.deferral(payment, step, refundId, next.deferred);
      const handled = await this.record(paymentId, command, (refund ?? payment).origin);
      payment = handled.loaded.state;
      position = handled.kind === 'accepted' ? (handled.events.at(-1)?.position ?? position) : position;
    }
    return position;
  }

  private record(paymentId: string, command: PaymentCommand, origin: Origin) {
    const { correlationId, eventId: causationId } = origin;
    const context = { correlationId, causationId, actor: 'worker:payments' };
    return this.deps.handling.handle(paymentDecider, paymentStreamId(paymentId), command, context);
  }

  private deferral(
    payment: Payment,
    step: Step,
    refundId: string | null,
    reason: Extract<NextCommand, { deferred: unknown }>['deferred'],
  ): DeferStep {
    const { clock, random } = this.deps;
    const attempt = step.attempt + 1;
    const tryAt = isoTime(nextTryAtMs(reason, attempt, clock.nowMs(), random.fraction()));
    const { expiresAt } = payment.created;
    const dueAt = reason === 'CUSTOMER_PENDING' && tryAt > expiresAt ? expiresAt : tryAt;
    const operation = step.operation === 'EXPIRE_HOLD' ? 'VOID' : step.operation;
    return { kind: 'DeferStep', operation, refundId, attempt, reason, dueAt };
  }
}
