import type { StoredEvent } from '@app/event-sourcing';
import type { Failure, PaymentEvent, RefundRequested } from './events';
import { type Origin, originOf, type Retry } from './payment';

export interface Refund {
  readonly request: RefundRequested['data'];
  readonly amountMinor: bigint;
  readonly status: 'PENDING' | 'COMPLETED' | 'FAILED';
  readonly requestedAt: string;
  /** When the gateway's answer was recorded; null while the refund is pending. */
  readonly settledAt: string | null;
  readonly origin: Origin;
  readonly failure: Failure | null;
  readonly retry: Retry | null;
}

/** What was requested, and when. */
export type RequestedRefund = Pick<Refund, 'request' | 'requestedAt'>;

/** The refund's outcome so far. */
export type RefundState = Pick<Refund, 'status' | 'settledAt' | 'failure'>;

/**
 * The maximum number of refunds per payment, failed ones included: each one makes the stream, the read model and every
 * fold longer. Streams from before this limit may hold more.
 */
export const MAX_REFUNDS = 100;

type Refunds = ReadonlyMap<string, Refund>;

/** The refunds after any event of the payment; only refund events change them. */
export function refundsAfter(refunds: Refunds, event: StoredEvent<PaymentEvent>): Refunds {
  const refundId = 'refundId' in event.data ? event.data.refundId : null;
  const known = refundId === null ? undefined : refunds.get(refundId);
  const settledAt = event.metadata.recordedAt;
  if (known === undefined) return event.type === 'RefundRequested' ? withRefund(refunds, requested(event)) : refunds;
  switch (event.type) {
    case 'RefundCompleted':
      return withRefund(refunds, { ...known, status: 'COMPLETED', settledAt, retry: null });
    case 'RefundFailed':
      return withRefund(refunds, { ...known, status: 'FAILED', settledAt, failure: event.data.failure, retry: null });
    case 'GatewayStepDeferred':
      return withRefund(refunds, { ...known, retry: event.data });
    default:
      return refunds;
  }
}

function requested(event: StoredEvent<RefundRequested>): Refund {
  return {
    request: event.data,
    amountMinor: BigInt(event.data.amountMinor),
    status: 'PENDING',
    requestedAt: event.metadata.recordedAt,
    settledAt: null,
    origin: originOf(event),
    failure: null,
    retry: null,
  };
}

/** An existing refund keeps its place in the order. */
function withRefund(refunds: Refunds, refund: Refund): Refunds {
  return new Map(refunds).set(refund.request.refundId, refund);
}
