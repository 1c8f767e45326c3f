import type { StoredEvent } from '@app/event-sourcing';
import type { Failure, GatewayStepDeferred, PaymentCreated, WebhookTarget } from './events';
import type { AcceptedRequest } from './idempotency';
import type { Dispute } from './disputes';
import type { Refund } from './refunds';

export type PaymentStatus = 'PROCESSING' | 'AUTHORIZED' | 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'EXPIRED';
export type TransactionStatus = 'PENDING' | 'SUCCESS' | 'FAILED';

/**
 * A payment with its refunds and disputes: one stream, one consistency boundary. Each phase holds only what is known in it.
 *
 *     AWAITING_CUSTOMER ──► AUTHORIZING ──► AUTHORIZED ──► CAPTURING ──► COMPLETED (refunds, disputes)
 *            │  │               │  │             │             │
 *            │  └──► FAILED ◄───┘  │             │             │
 *            └─────────────────────┴── VOIDING ◄─┴─────────────┘
 *                                         └──► CANCELLED, EXPIRED or FAILED
 */
export type Payment = PaymentFacts & (OpenPhase | EndedPhase);

/** A payment in one of these phases. */
export type PaymentIn<P extends Payment['phase']> = Extract<Payment, { readonly phase: P }>;
export type OpenPayment = PaymentIn<OpenPhase['phase']>;

/** Facts that apply in every phase. */
export interface PaymentFacts {
  readonly created: PaymentCreated['data'];
  readonly amountMinor: bigint;
  readonly createdAt: string;
  /** The merchant's accepted captures and cancellations; each refund holds its own request. */
  readonly requests: readonly AcceptedRequest[];
  /** When the last event that moved the payment itself was recorded; its next step is due from then on. */
  readonly movedAt: string;
  readonly origin: Origin;
}

type OpenPhase =
  /** The customer has to pass the authentication. Next: AUTHORIZING, FAILED if they don't pass, VOIDING. */
  | { readonly phase: 'AWAITING_CUSTOMER'; readonly status: 'PROCESSING'; readonly retry: Retry | null }
  /** The gateway is asked for the authorization. Next: AUTHORIZED, FAILED if it is declined, VOIDING. */
  | { readonly phase: 'AUTHORIZING'; readonly status: 'PROCESSING'; readonly retry: Retry | null }
  /** The amount is held until the merchant captures it. Next: CAPTURING, VOIDING when cancelled or expired. */
  | { readonly phase: 'AUTHORIZED'; readonly status: 'AUTHORIZED'; readonly holdExpiresAt: string }
  /** The gateway is asked to capture; no longer cancellable. Next: COMPLETED, VOIDING if the capture is refused. */
  | {
      readonly phase: 'CAPTURING';
      readonly status: 'AUTHORIZED';
      readonly capture: Capture;
      readonly retry: Retry | null;
    }
  /** The gateway is asked to release what it holds, or may still come to hold. Next: the pending outcome. */
  | {
      readonly phase: 'VOIDING';
      /** `AUTHORIZED` once a hold is known to exist. */
      readonly status: 'PROCESSING' | 'AUTHORIZED';
      readonly pendingOutcome: PendingOutcome;
      readonly retry: Retry | null;
    };

/** No event changes the phase of a payment that has ended. */
type EndedPhase =
  /** The amount was captured. Refunds and disputes are possible in this phase only. */
  | {
      readonly phase: 'COMPLETED';
      readonly status: 'COMPLETED';
      readonly capture: Capture;
      /** By refund id, in the order in which they were requested. */
      readonly refunds: ReadonlyMap<string, Refund>;
      /** By dispute id, in the order in which they were recorded. */
      readonly disputes: ReadonlyMap<string, Dispute>;
    }
  | { readonly phase: 'FAILED'; readonly status: 'FAILED'; readonly failure: Failure }
  | { readonly phase: 'CANCELLED'; readonly status: 'CANCELLED' }
  | { readonly phase: 'EXPIRED'; readonly status: 'EXPIRED' };

export interface Capture {
  readonly transactionId: string;
  readonly amountMinor: bigint;
}

/** How the payment ends once the gateway has voided it. */
export type PendingOutcome =
  { readonly as: 'CANCELLED' } | { readonly as: 'EXPIRED' } | { readonly as: 'FAILED'; readonly failure: Failure };

/** When an unfinished step is tried again. */
export type Retry = GatewayStepDeferred['data'];

/** What a step follows from: the event that asks for it, and the original request. */
export interface Origin {
  readonly eventId: string;
  readonly correlationId: string;
}

export function originOf(event: StoredEvent): Origin {
  return { eventId: event.id, correlationId: event.metadata.correlationId };
}

/** The receiver of webhooks about the payment, unless a refund names another URL. */
export function webhookTargetOf({ created }: Payment): WebhookTarget {
  return { merchantId: created.merchantId, notifyUrl: created.notifyUrl };
}

/** True before a capture is requested, unless the payment is being voided or has ended. */
export function isCancellable(
  payment: Payment,
): payment is PaymentIn<'AWAITING_CUSTOMER' | 'AUTHORIZING' | 'AUTHORIZED'> {
  const { phase } = payment;
  return phase === 'AWAITING_CUSTOMER' || phase === 'AUTHORIZING' || phase === 'AUTHORIZED';
}

export function refundOf(payment: Payment, refundId: string): Refund | undefined {
  return payment.phase === 'COMPLETED' ? payment.refunds.get(refundId) : undefined;
}

/** In the order in which they were requested. */
export function refundsOf(payment: Payment): readonly Refund[] {
  return payment.phase === 'COMPLETED' ? [...payment.refunds.values()] : [];
}

export function disputeOf(payment: Payment, disputeId: string): Dispute | undefined {
  return payment.phase === 'COMPLETED' ? payment.disputes.get(disputeId) : undefined;
}

/**
 * The captured amount less pending and completed refunds, and less what open and lost disputes withdrew, in minor
 * units. Never negative, though the gateway may withdraw more than is left.
 */
export function refundableMinor(payment: Payment): bigint {
  if (payment.phase !== 'COMPLETED') return 0n;
  const given = refundSum(payment, 'PENDING') + refundedMinor(payment);
  const left = payment.capture.amountMinor - given - withdrawnMinor(payment);
  return left > 0n ? left : 0n;
}

/** What open and lost disputes withdrew. */
export function withdrawnMinor(payment: Payment): bigint {
  if (payment.phase !== 'COMPLETED') return 0n;
  const disputes = [...payment.disputes.values()];
  return disputes.reduce((sum, { status, amountMinor }) => (status === 'WON' ? sum : sum + amountMinor), 0n);
}

export function refundedMinor(payment: Payment): bigint {
  return refundSum(payment, 'COMPLETED');
}

function refundSum(payment: Payment, status: Refund['status']): bigint {
  return refundsOf(payment).reduce((sum, refund) => (refund.status === status ? sum + refund.amountMinor : sum), 0n);
}
