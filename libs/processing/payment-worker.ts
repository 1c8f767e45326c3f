import { type ClaimedItem, type CommandHandling, groupOwner, isOver, isoTime, type Loaded } from '@app/kernel';
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
} from '@app/domain/payment';
import {
  type GroupSlots,
  isInquiryGroup,
  paymentsToProcessList,
  type PaymentToProcess,
  processingGroup,
  ToDoWorker,
  type ToDoWorkerDependencies,
} from '@app/projections';
import { ForgedEntryError, type Worker } from '@app/runtime';
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
      perform: (item, hurry) => this.perform(item, hurry),
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

  /**
   * A place is taken before anything is read, by what the list says of the merchant: it is only whose turn it was. Where the log says
   * otherwise, the place is exchanged for one of the true merchant's.
   *
   * @throws ForgedEntryError, DamagedHistoryError
   */
  private async perform(item: ClaimedItem, hurry: AbortSignal): Promise<bigint | null> {
    const what = whatOf(item.key);
    const turn = groupOf(item);
    if (!this.places.tryStart(turn)) return null;
    let group: string | null = turn;
    try {
      const loaded = await this.deps.handling.loadExisting(paymentDecider, paymentStreamId(what.paymentId));
      const { state: payment } = loaded;
      if (payment === null) throw new ForgedEntryError('there is no such payment');
      if (what.refundId !== null && refundOf(payment, what.refundId) === undefined) {
        throw new ForgedEntryError('there is no such refund');
      }
      group = this.exchange(turn, payment.created.merchantId);
      return group === null ? null : await this.process(what, loaded, hurry);
    } finally {
      if (group !== null) this.places.finished(group);
    }
  }

  /** Null where the true merchant has no place free. */
  private exchange(taken: string, merchantId: string): string | null {
    if (groupOwner(taken) === merchantId) return taken;
    this.places.finished(taken);
    const group = processingGroup({ merchantId, inquiry: isInquiryGroup(taken) });
    return this.places.tryStart(group) ? group : null;
  }

  private async process(
    { paymentId, refundId }: What,
    from: Loaded<Payment | null>,
    hurry: AbortSignal,
  ): Promise<bigint | null> {
    let position: bigint | null = null;
    let loaded = from;
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
    // The first inquiry comes soon, however often the step was retried for another reason before.
    const nth = reason === 'OUTCOME_UNKNOWN' && !step.inquireFirst ? 1 : attempt;
    const scheduledAtMs = clock.settledMs();
    const tryAt = isoTime(nextTryAtMs(reason, nth, scheduledAtMs, random.fraction()));
    const { expiresAt } = payment.created;
    const dueAt = reason === 'CUSTOMER_PENDING' && tryAt > expiresAt ? expiresAt : tryAt;
    const operation = step.operation === 'EXPIRE_HOLD' ? 'VOID' : step.operation;
    return { type: 'ScheduleRetry', operation, refundId, attempt, reason, dueAt, scheduledAt: isoTime(scheduledAtMs) };
  }
}

/** Which step is due: the payment's own where `refundId` is null. */
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

function groupOf({ document }: ClaimedItem): string {
  const { merchantId, inquiry } = document as Partial<PaymentToProcess>;
  return processingGroup({ merchantId: String(merchantId), inquiry: inquiry === true });
}
