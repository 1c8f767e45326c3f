import type { CommandHandling } from '@app/event-sourcing';
import {
  nextRefundStep,
  nextStep,
  type Payment,
  paymentDecider,
  paymentStreamId,
  type Refund,
  refundsOf,
  type Step,
} from '@app/payments/domain';
import type { GatewayNotice } from '@app/gateway/notices';
import { failureLog } from '@app/platform/telemetry';
import { record } from './record';
import { performRefund, performStep, type StepDependencies } from './steps';

/** So many notices are looked into at a time; what comes on top is left to the polling. */
const MAX_IN_HAND = 64;
const NO_HURRY = new AbortController().signal;

export interface NoticedPaymentsDependencies extends StepDependencies {
  readonly handling: CommandHandling;
}

/**
 * Looks into what the gateway gives notice of at once, instead of at the next poll. A notice is never believed: the
 * gateway is asked, and its answer recorded as the worker would. So it needs no memory shared with a worker, and works
 * in whichever process hears it: the event that is appended makes what follows due for all.
 */
export class NoticedPayments {
  private readonly inHand = new Map<string, Promise<void>>();
  private isClosed = false;

  constructor(private readonly deps: NoticedPaymentsDependencies) {}

  /** Resolves once it has been looked into; never rejects. The same notice, while it is being looked into, is one. */
  handle(notice: GatewayNotice): Promise<void> {
    const key = notice.type === 'challenge-finished' ? notice.paymentId : notice.reference;
    const known = this.inHand.get(key);
    if (known !== undefined) return known;
    if (this.inHand.size >= MAX_IN_HAND || this.isClosed) return Promise.resolve();
    const looking = this.lookInto(notice).finally(() => this.inHand.delete(key));
    this.inHand.set(key, looking);
    return looking;
  }

  /** Finishes what is in hand, which a gateway call's time bounds, and takes nothing more. */
  async close(): Promise<void> {
    // A customer who has just finished must not wait for the poll after the next start.
    this.isClosed = true;
    await Promise.all(this.inHand.values());
  }

  private async lookInto(notice: GatewayNotice): Promise<void> {
    try {
      await this.settle(notice);
    } catch (error) {
      const { type, paymentId } = notice;
      const message = 'what the gateway gave notice of will be found by the next poll';
      failureLog(this.deps).failed({ level: 'warn', message, fields: { type, paymentId } }, error);
    }
  }

  private async settle(notice: GatewayNotice): Promise<void> {
    const { paymentId } = notice;
    const loaded = await this.deps.handling.load(paymentDecider, paymentStreamId(paymentId));
    const payment = loaded.state;
    if (payment === null) return;
    const asked = notice.type === 'challenge-finished' ? customersStep(payment) : openStep(payment, notice.reference);
    if (asked === null) return;
    const { step, refund } = asked;
    const next =
      refund === null
        ? await performStep(this.deps, payment, step, NO_HURRY)
        : await performRefund(this.deps, payment, refund, step, NO_HURRY);
    // Without an outcome the step stays as it was, due when it was.
    if (!('command' in next)) return;
    await record(this.deps.handling, paymentId, next.command, (refund ?? payment).origin, loaded);
  }
}

interface AskedStep {
  readonly step: Step;
  /** Null: the payment's own step. */
  readonly refund: Refund | null;
}

function customersStep(payment: Payment): AskedStep | null {
  const step = payment.phase === 'AWAITING_CUSTOMER' ? nextStep(payment) : null;
  return step && { step, refund: null };
}

/** The step that waits for the outcome of this transaction; a step that was not sent yet is the worker's alone. */
function openStep(payment: Payment, reference: string): AskedStep | null {
  const refund = refundsOf(payment).find(({ request }) => request.transactionId === reference) ?? null;
  const step = refund === null ? nextStep(payment) : nextRefundStep(refund);
  if (step?.inquireFirst !== true) return null;
  return refund !== null || referenceOf(payment) === reference ? { step, refund } : null;
}

/** Of the transaction that the payment's own step is about. */
function referenceOf(payment: Payment): string | null {
  switch (payment.phase) {
    case 'AUTHORIZING':
      return payment.created.transactionIds.authorization;
    case 'CAPTURING':
      return payment.capture.transactionId;
    case 'VOIDING':
      return payment.created.transactionIds.void;
    default:
      return null;
  }
}
