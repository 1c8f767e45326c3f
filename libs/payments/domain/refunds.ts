import type { StoredEvent } from '@app/event-sourcing';
import type { Failure, PaymentEvent, RefundRequested } from './events';
import { type Origin, originOf, type Retry } from './payment';

export interface Refund {
  readonly request: RefundRequested['data'];
  readonly amountMinor: bigint;
  readonly status: 'PENDING' | 'COMPLETED' | 'FAILED';
  readonly requestedAt: string;
  /** When the gateway's word was recorded; null while it is pending. */
  readonly settledAt: string | null;
  readonly origin: Origin;
  readonly failure: Failure | null;
  readonly retry: Retry | null;
}

/** What was asked for, and when. */
export type RequestedRefund = Pick<Refund, 'request' | 'requestedAt'>;

/** What has become of it. */
export type RefundState = Pick<Refund, 'status' | 'settledAt' | 'failure'>;

/**
 * How many refunds a payment may have, failed ones included: each makes the payment's stream, its read model and all
 * that is folded from it longer. Streams from before this limit may hold more.
 */
export const MAX_REFUNDS = 100;

type Refunds = ReadonlyMap<string, Refund>;

/** After an event of the payment, whichever: only those of refunds change any. */
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

/** A known refund keeps its place. */
function withRefund(refunds: Refunds, refund: Refund): Refunds {
  return new Map(refunds).set(refund.request.refundId, refund);
}
