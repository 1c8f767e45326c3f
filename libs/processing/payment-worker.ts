import { type CommandHandling, isOver, isoTime } from '@app/kernel';
import {
  type DeferStep,
  nextRefundStep,
  nextStep,
  type Payment,
  paymentDecider,
  paymentStreamId,
  refundOf,
  type Step,
} from '@app/domain/payment';
import {
  type GroupSlots,
  paymentsToProcessList,
  type PaymentToProcess,
  processingGroup,
  ToDoWorker,
  type ToDoWorkerDependencies,
} from '@app/projections';
import type { Worker } from '@app/runtime';
import type { NextCommand } from './gateway-calls';
import { record } from './record';
import { nextTryAtMs } from './retry-schedule';
import { StepPlaces } from './step-places';
import { performRefund, performStep, type StepDependencies } from './steps';

/** So many merchants are considered in one round, the longest waiting first; each has two groups, steps and inquiries. */
const MAX_GROUPS = 200;
const GROUPS_PER_MERCHANT = 2;
/** While at least so many places are taken, what was found due is used for a while: a place gets free all the time then. */
const BUSY_PLACES = 32;
const BUSY_LOOK_EVERY_MS = 25;
/** A payment takes at most a handful of steps in one go; more would be a circle. */
const MAX_STEPS = 8;
/** At shutdown a gateway call in hand may take this long before it is given up as unknown. */
const DRAIN_MS = 6_000;

export interface PaymentWorkerDependencies extends StepDependencies, ToDoWorkerDependencies {
  readonly handling: CommandHandling;
}

/**
 * Works off what payments ask of the gateway. It keeps no state: it folds the stream, does what the state asks for under a
 * reference that never changes, and records the outcome as an event. Any number may run.
 */
export class PaymentWorker implements Worker {
  readonly name = 'payments';
  private readonly toDo: ToDoWorker;
  private readonly places = new StepPlaces();
  /** What was found due, and until when by the monotonic clock it is used. */
  private due: { readonly groups: readonly string[]; readonly untilMs: number } = { groups: [], untilMs: -Infinity };

  constructor(private readonly deps: PaymentWorkerDependencies) {
    this.toDo = new ToDoWorker(deps, {
      name: this.name,
      list: paymentsToProcessList,
      concurrency: StepPlaces.total,
      drainMs: DRAIN_MS,
      share: (_free, nowMs) => this.share(nowMs),
      perform: (item, hurry) => this.perform(item.document as PaymentToProcess, hurry),
    });
  }

  run(signal: AbortSignal): Promise<void> {
    return this.toDo.run(signal);
  }

  private async share(nowMs: number): Promise<readonly GroupSlots[]> {
    const atMs = this.deps.clock.monotonicMs();
    if (atMs >= this.due.untilMs) {
      const groups = await this.toDo.dueGroups(nowMs, MAX_GROUPS, GROUPS_PER_MERCHANT);
      this.due = { groups, untilMs: this.places.taken < BUSY_PLACES ? atMs : atMs + BUSY_LOOK_EVERY_MS };
    }
    return this.places.choose(this.due.groups);
  }

  private async perform(item: PaymentToProcess, hurry: AbortSignal): Promise<bigint | null> {
    const group = processingGroup(item);
    if (!this.places.tryStart(group)) return null;
    try {
      return await this.process(item, hurry);
    } finally {
      this.places.finished(group);
    }
  }

  private async process({ paymentId, refundId }: PaymentToProcess, hurry: AbortSignal): Promise<bigint | null> {
    let position: bigint | null = null;
    let loaded = await this.deps.handling.load(paymentDecider, paymentStreamId(paymentId));
    for (let steps = 0; steps < MAX_STEPS && !hurry.aborted; steps += 1) {
      const payment = loaded.state;
      if (payment === null) break;
      const refund = refundId === null ? undefined : refundOf(payment, refundId);
      const step = refund === undefined ? nextStep(payment) : nextRefundStep(refund);
      if (step === null || !isOver(step.wait, this.deps.clock)) break;
      const next =
        refund === undefined
          ? await performStep(this.deps, payment, step, hurry)
          : await performRefund(this.deps, payment, refund, step, hurry);
      const command = 'command' in next ? next.command : this.deferral(payment, step, refundId, next.deferred);
      const handled = await record(this.deps.handling, paymentId, command, (refund ?? payment).origin, loaded);
      loaded = handled.loaded;
      position = handled.kind === 'accepted' ? (handled.events.at(-1)?.position ?? position) : position;
    }
    return position;
  }

  private deferral(
    payment: Payment,
    step: Step,
    refundId: string | null,
    reason: Extract<NextCommand, { deferred: unknown }>['deferred'],
  ): DeferStep {
    const { clock, random } = this.deps;
    const attempt = step.attempt + 1;
    // The first inquiry comes soon, however often the step was put off for another reason before.
    const nth = reason === 'OUTCOME_UNKNOWN' && !step.inquireFirst ? 1 : attempt;
    const scheduledAtMs = clock.settledMs();
    const tryAt = isoTime(nextTryAtMs(reason, nth, scheduledAtMs, random.fraction()));
    const { expiresAt } = payment.created;
    const dueAt = reason === 'CUSTOMER_PENDING' && tryAt > expiresAt ? expiresAt : tryAt;
    const operation = step.operation === 'EXPIRE_HOLD' ? 'VOID' : step.operation;
    return { kind: 'DeferStep', operation, refundId, attempt, reason, dueAt, scheduledAt: isoTime(scheduledAtMs) };
  }
}
