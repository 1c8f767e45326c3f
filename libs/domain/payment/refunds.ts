import { type StoredEvent, unreachable } from '@app/kernel';
import type { Failure, RefundCompleted, RefundFailed, RefundRequested } from './events';
import type { Origin, Retry } from './payment';

export interface Refund {
  readonly request: RefundRequested['data'];
  readonly amountMinor: bigint;
  readonly status: 'PENDING' | 'COMPLETED' | 'FAILED';
  readonly requestedAt: string;
  readonly origin: Origin;
  readonly failure: Failure | null;
  readonly retry: Retry | null;
}

/**
 * How many refunds a payment may have, failed ones included: each makes the payment's stream, its read model and all that is
 * folded from it longer. Streams from before this limit may hold more.
 */
export const MAX_REFUNDS = 100;

export type Refunds = ReadonlyMap<string, Refund>;
export type RefundEvent = RefundRequested | RefundCompleted | RefundFailed;

export function refundsAfter(refunds: Refunds, event: StoredEvent<RefundEvent>, origin: Origin): Refunds {
  const known = refunds.get(event.data.refundId);
  switch (event.type) {
    case 'RefundRequested':
      return known === undefined ? withRefund(refunds, requested(event, origin)) : refunds;
    case 'RefundCompleted':
      return known === undefined ? refunds : withRefund(refunds, { ...known, status: 'COMPLETED', retry: null });
    case 'RefundFailed': {
      const { failure } = event.data;
      return known === undefined ? refunds : withRefund(refunds, { ...known, status: 'FAILED', failure, retry: null });
    }
    default:
      return unreachable(event);
  }
}

export function refundsRetried(refunds: Refunds, retry: Retry): Refunds {
  const known = retry.refundId === null ? undefined : refunds.get(retry.refundId);
  return known === undefined ? refunds : withRefund(refunds, { ...known, retry });
}

function requested(event: StoredEvent<RefundRequested>, origin: Origin): Refund {
  return {
    request: event.data,
    amountMinor: BigInt(event.data.amountMinor),
    status: 'PENDING',
    requestedAt: event.metadata.recordedAt,
    origin,
    failure: null,
    retry: null,
  };
}

/** A known refund keeps its place. */
function withRefund(refunds: Refunds, refund: Refund): Refunds {
  return new Map(refunds).set(refund.request.refundId, refund);
}
