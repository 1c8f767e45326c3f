import { type CommandHandling, unreachable } from '@app/event-sourcing';
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
import { call } from './gateway-calls';
import { failureLog } from '@app/platform/telemetry';
import { record } from './record';
import { recordDispute, type RecordDisputesDependencies } from './record-disputes';
import { performRefund, performStep, type StepDependencies } from './steps';

/** The most callbacks handled at the same time; polling takes care of the rest. */
const MAX_IN_HAND = 64;
const NO_HURRY = new AbortController().signal;

export interface NoticedPaymentsDependencies extends StepDependencies, RecordDisputesDependencies {
  readonly handling: CommandHandling;
}

/**
 * Acts on a gateway's callback at once instead of at the next poll. A callback is never trusted: the gateway is asked,
 * and its answer recorded as the worker would record it. So this needs no memory shared with a worker and runs in
 * whichever process receives the callback: the appended event makes the next step due for all processes.
 */
export class NoticedPayments {
  private readonly inHand = new Map<string, Promise<void>>();
  private isClosed = false;

  constructor(private readonly deps: NoticedPaymentsDependencies) {}

  /**
   * Resolves once the callback has been handled; never rejects. A duplicate that arrives meanwhile shares the same
   * work.
   */
  handle(notice: GatewayNotice): Promise<void> {
    const key = keyOf(notice);
    const known = this.inHand.get(key);
    if (known !== undefined) return known;
    if (this.inHand.size >= MAX_IN_HAND || this.isClosed) return Promise.resolve();
    const looking = this.lookInto(notice).finally(() => this.inHand.delete(key));
    this.inHand.set(key, looking);
    return looking;
  }

  /** Finishes the work in progress, which the gateway's time-out limits, and accepts no more. */
  async close(): Promise<void> {
    // Finish first: otherwise a customer who has just finished waits for the poll after the next start.
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
    if (notice.type === 'dispute-changed') return this.askForDisputes(payment);
    const asked = notice.type === 'challenge-finished' ? customersStep(payment) : openStep(payment, notice.reference);
    if (asked === null) return;
    const { step, refund } = asked;
    const next =
      refund === null
        ? await performStep(this.deps, payment, step, NO_HURRY)
        : await performRefund(this.deps, payment, refund, step, NO_HURRY);
    // Without an outcome the step and its due time stay unchanged.
    if (!('command' in next)) return;
    await record(this.deps.handling, paymentId, next.command, (refund ?? payment).origin, loaded);
  }

  private async askForDisputes({ created: { gatewayReference } }: Payment): Promise<void> {
    const { gateway } = this.deps;
    const asked = await call(this.deps, 'DISPUTES', NO_HURRY, (signal) => gateway.disputesOf(gatewayReference, signal));
    if ('retry' in asked) return;
    for (const dispute of asked.answer) await recordDispute(this.deps, dispute);
  }
}

function keyOf(notice: GatewayNotice): string {
  switch (notice.type) {
    case 'challenge-finished':
      return notice.paymentId;
    case 'transaction-decided':
      return notice.reference;
    case 'dispute-changed':
      return `disputes ${notice.paymentId}`;
    default:
      return unreachable(notice);
  }
}

interface AskedStep {
  readonly step: Step;
  /** Null for the payment's own step. */
  readonly refund: Refund | null;
}

function customersStep(payment: Payment): AskedStep | null {
  const step = payment.phase === 'AWAITING_CUSTOMER' ? nextStep(payment) : null;
  return step && { step, refund: null };
}

/** The step that waits for this transaction's outcome. A step that was not sent yet is left to the worker. */
function openStep(payment: Payment, reference: string): AskedStep | null {
  const refund = refundsOf(payment).find(({ request }) => request.transactionId === reference) ?? null;
  const step = refund === null ? nextStep(payment) : nextRefundStep(refund);
  if (step?.inquireFirst !== true) return null;
  return refund !== null || referenceOf(payment) === reference ? { step, refund } : null;
}

/** The reference of the transaction that the payment's own step is about. */
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
