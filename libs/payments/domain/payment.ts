import type { StoredEvent } from '@app/event-sourcing';
import type { Failure, GatewayStepDeferred, PaymentCreated, WebhookTarget } from './events';
import type { AcceptedRequest } from './idempotency';
import type { Refund } from './refunds';

export type PaymentStatus = 'PROCESSING' | 'AUTHORIZED' | 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'EXPIRED';
export type TransactionStatus = 'PENDING' | 'SUCCESS' | 'FAILED';

/**
 * A payment with its refunds: one stream, one consistency boundary. A phase holds what is known in it alone.
 *
 *     AWAITING_CUSTOMER ──► AUTHORIZING ──► AUTHORIZED ──► CAPTURING ──► COMPLETED (and refunds)
 *            │  │               │  │             │             │
 *            │  └──► FAILED ◄───┘  │             │             │
 *            └─────────────────────┴── VOIDING ◄─┴─────────────┘
 *                                         └──► CANCELLED, EXPIRED or FAILED
 */
export type Payment = PaymentFacts & (OpenPhase | EndedPhase);

/** A payment that is known to be in one of these phases. */
export type PaymentIn<P extends Payment['phase']> = Extract<Payment, { readonly phase: P }>;
export type OpenPayment = PaymentIn<OpenPhase['phase']>;

/** What holds in every phase. */
export interface PaymentFacts {
  readonly created: PaymentCreated['data'];
  readonly amountMinor: bigint;
  readonly createdAt: string;
  /** The captures and cancellations that merchants asked for and got; each refund holds its own request. */
  readonly requests: readonly AcceptedRequest[];
  /** When the last event that moved the payment itself was recorded: its next step is due from then on. */
  readonly movedAt: string;
  readonly origin: Origin;
}

type OpenPhase =
  /** The customer has to pass the authentication. Next: AUTHORIZING, FAILED when they don't pass, VOIDING. */
  | { readonly phase: 'AWAITING_CUSTOMER'; readonly status: 'PROCESSING'; readonly retry: Retry | null }
  /** The gateway is asked for the authorization. Next: AUTHORIZED, FAILED when it is declined, VOIDING. */
  | { readonly phase: 'AUTHORIZING'; readonly status: 'PROCESSING'; readonly retry: Retry | null }
  /** The amount is held and waits for the merchant's capture. Next: CAPTURING, VOIDING when cancelled or too late. */
  | { readonly phase: 'AUTHORIZED'; readonly status: 'AUTHORIZED'; readonly holdExpiresAt: string }
  /** The gateway is asked for the money; no longer cancellable. Next: COMPLETED, VOIDING when it is refused. */
  | {
      readonly phase: 'CAPTURING';
      readonly status: 'AUTHORIZED';
      readonly capture: Capture;
      readonly retry: Retry | null;
    }
  /** The gateway is asked to release what it holds, or may yet hold. Next: the pending outcome. */
  | {
      readonly phase: 'VOIDING';
      /** `AUTHORIZED` once it is known that there is a hold. */
      readonly status: 'PROCESSING' | 'AUTHORIZED';
      readonly pendingOutcome: PendingOutcome;
      readonly retry: Retry | null;
    };

/** Nothing moves a payment that has ended. */
type EndedPhase =
  /** The money was taken. Refunds are possible here, and only here. */
  | {
      readonly phase: 'COMPLETED';
      readonly status: 'COMPLETED';
      readonly capture: Capture;
      /** By their ids, in the order in which they were asked for. */
      readonly refunds: ReadonlyMap<string, Refund>;
    }
  | { readonly phase: 'FAILED'; readonly status: 'FAILED'; readonly failure: Failure }
  | { readonly phase: 'CANCELLED'; readonly status: 'CANCELLED' }
  | { readonly phase: 'EXPIRED'; readonly status: 'EXPIRED' };

export interface Capture {
  readonly transactionId: string;
  readonly amountMinor: bigint;
}

/** How the payment ends once the gateway has released it. */
export type PendingOutcome =
  { readonly as: 'CANCELLED' } | { readonly as: 'EXPIRED' } | { readonly as: 'FAILED'; readonly failure: Failure };

/** When a step that could not be finished is tried again. */
export type Retry = GatewayStepDeferred['data'];

/** What a step follows from: the event that asks for it, and the request that began it all. */
export interface Origin {
  readonly eventId: string;
  readonly correlationId: string;
}

export function originOf(event: StoredEvent): Origin {
  return { eventId: event.id, correlationId: event.metadata.correlationId };
}

/** Who is told of the payment's events, unless a refund names another address. */
export function webhookTargetOf({ created }: Payment): WebhookTarget {
  return { merchantId: created.merchantId, notifyUrl: created.notifyUrl };
}

/** Until a capture is asked for, and as long as no other end is. */
export function isCancellable(
  payment: Payment,
): payment is PaymentIn<'AWAITING_CUSTOMER' | 'AUTHORIZING' | 'AUTHORIZED'> {
  const { phase } = payment;
  return phase === 'AWAITING_CUSTOMER' || phase === 'AUTHORIZING' || phase === 'AUTHORIZED';
}

export function refundOf(payment: Payment, refundId: string): Refund | undefined {
  return payment.phase === 'COMPLETED' ? payment.refunds.get(refundId) : undefined;
}

/** In the order in which they were asked for. */
export function refundsOf(payment: Payment): readonly Refund[] {
  return payment.phase === 'COMPLETED' ? [...payment.refunds.values()] : [];
}

/** What pending and completed refunds leave of the captured amount, in minor units. */
export function refundableMinor(payment: Payment): bigint {
  if (payment.phase !== 'COMPLETED') return 0n;
  return payment.capture.amountMinor - refundSum(payment, 'PENDING') - refundedMinor(payment);
}

export function refundedMinor(payment: Payment): bigint {
  return refundSum(payment, 'COMPLETED');
}

function refundSum(payment: Payment, status: Refund['status']): bigint {
  return refundsOf(payment).reduce((sum, refund) => (refund.status === status ? sum + refund.amountMinor : sum), 0n);
}
