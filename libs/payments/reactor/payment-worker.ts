import {
  type CommandHandling,
  isOver,
  isoTime,
  type Loaded,
  type Slot,
  type QueueLimits,
  SlotPool,
  type ToDoItem,
} from '@app/event-sourcing';
import {
  type ScheduleRetry,
  isPaymentId,
  nextRefundStep,
  nextStep,
  type Payment,
  paymentDecider,
  paymentIdOfRefund,
  paymentStreamId,
  refundOf,
  type RetryReason,
  type Step,
} from '@app/payments/domain';
import { isInquiryGroup, paymentsToProcess, processingGroup } from '@app/payments/read-models/payments-to-process';
import { paymentsToProcessList } from '@app/payments/read-models/processing-projection';
import { Reactor, type ReactorDependencies } from '@app/projections/reactor';
import { ForgedEntryError } from '@app/platform/telemetry';
import { type Worker } from '@app/platform/lifecycle';
import { record } from './record';
import { nextTryAtMs } from './retry-schedule';
import { performRefund, performStep, type StepDependencies } from './steps';

/**
 * How many steps run at the same time. Each may wait 5 s for a gateway that doesn't answer, and other merchants'
 * payments must not wait for that: one merchant holds at most 64 of the slots for steps, and 32 of those for inquiries.
 * Inquiries have their own slots because the first one is due within 2 s, and a fault that swallows answers may be
 * swallowing those of new steps too.
 */
const STEPS = { slots: 80, share: 4 };
const INQUIRIES = { slots: 40, share: 4 };
/** A payment takes a few steps at most in one run; more would be an endless loop. */
const MAX_STEPS = 8;
/** The time that a gateway call in progress gets at shutdown, before its outcome counts as unknown. */
const DRAIN_MS = 6_000;

export interface PaymentWorkerDependencies extends StepDependencies, ReactorDependencies {
  readonly handling: CommandHandling;
}

/**
 * Works through what payments ask of the gateway. It keeps no state: it folds the stream, performs the next step under
 * a reference that never changes, and records the outcome as an event. Any number of workers may run.
 */
export class PaymentWorker implements Worker {
  readonly name = 'payments';
  private readonly reactor: Reactor;

  constructor(private readonly deps: PaymentWorkerDependencies) {
    this.reactor = new Reactor(deps, {
      name: this.name,
      list: paymentsToProcessList,
      collection: paymentsToProcess,
      limits: stepLimits(),
      drainMs: DRAIN_MS,
      perform: (item, slot, abort) => this.perform(item, slot, abort),
    });
  }

  run(signal: AbortSignal): Promise<void> {
    return this.reactor.run(signal);
  }

  /**
   * The list only determines whose turn it is. If the log names another merchant, the slot is exchanged for one of
   * theirs.
   *
   * @throws ForgedEntryError, DamagedHistoryError
   */
  private async perform({ key }: ToDoItem, slot: Slot, abort: AbortSignal): Promise<bigint | null> {
    const what = whatOf(key);
    const loaded = await this.deps.handling.loadExisting(paymentDecider, paymentStreamId(what.paymentId));
    const { state: payment } = loaded;
    if (payment === null) throw new ForgedEntryError('there is no such payment');
    if (what.refundId !== null && refundOf(payment, what.refundId) === undefined) {
      throw new ForgedEntryError('there is no such refund');
    }
    const { merchantId } = payment.created;
    const group = processingGroup({ merchantId, inquiry: isInquiryGroup(slot.group) });
    return slot.move(group) ? this.process(what, loaded, abort) : null;
  }

  private async process(
    { paymentId, refundId }: What,
    from: Loaded<Payment | null>,
    abort: AbortSignal,
  ): Promise<bigint | null> {
    let position: bigint | null = null;
    let loaded = from;
    for (let steps = 0; steps < MAX_STEPS && !abort.aborted; steps += 1) {
      const payment = loaded.state;
      if (payment === null) break;
      const refund = refundId === null ? undefined : refundOf(payment, refundId);
      const step = refund === undefined ? nextStep(payment) : nextRefundStep(refund);
      if (step === null || !isOver(step.wait, this.deps.clock)) break;
      const next =
        refund === undefined
          ? await performStep(this.deps, payment, step, abort)
          : await performRefund(this.deps, payment, refund, step, abort);
      const command = 'command' in next ? next.command : this.scheduleRetry(payment, step, refundId, next.retry);
      const handled = await record(this.deps.handling, paymentId, command, (refund ?? payment).origin, loaded);
      loaded = handled.loaded;
      position = handled.kind === 'accepted' ? (handled.events.at(-1)?.position ?? position) : position;
    }
    return position;
  }

  private scheduleRetry(payment: Payment, step: Step, refundId: string | null, reason: RetryReason): ScheduleRetry {
    const { clock, random } = this.deps;
    const attempt = step.attempt + 1;
    // The first inquiry is due soon, regardless of earlier retries for other reasons.
    const nth = reason === 'OUTCOME_UNKNOWN' && !step.inquireFirst ? 1 : attempt;
    const scheduledAtMs = clock.settledMs();
    const tryAt = isoTime(nextTryAtMs(reason, nth, scheduledAtMs, random.fraction()));
    const { expiresAt } = payment.created;
    const dueAt = reason === 'CUSTOMER_PENDING' && tryAt > expiresAt ? expiresAt : tryAt;
    const operation = step.operation === 'EXPIRE_HOLD' ? 'VOID' : step.operation;
    return { type: 'ScheduleRetry', operation, refundId, attempt, reason, dueAt, scheduledAt: isoTime(scheduledAtMs) };
  }
}

/** Identifies the step that is due: the payment's own if `refundId` is null. */
interface What {
  readonly paymentId: string;
  readonly refundId: string | null;
}

/** @throws ForgedEntryError */
function whatOf(key: string): What {
  if (isPaymentId(key)) return { paymentId: key, refundId: null };
  const paymentId = paymentIdOfRefund(key);
  if (paymentId === null) throw new ForgedEntryError('it names no payment and no refund');
  return { paymentId, refundId: key };
}

function stepLimits(): QueueLimits {
  const [steps, inquiries] = [new SlotPool(STEPS), new SlotPool(INQUIRIES)];
  return { poolsOf: (group) => [isInquiryGroup(group) ? inquiries : steps], ofGroup: () => Infinity };
}
