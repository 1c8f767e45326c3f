import type { StoredEvent } from '@app/event-sourcing';
import type { DisputeOpened, PaymentEvent } from './events';

export type DisputeStatus = 'OPEN' | 'WON' | 'LOST';

/** A cardholder's claim to get their money back, as the gateway reported it. */
export interface Dispute {
  readonly opening: DisputeOpened['data'];
  readonly amountMinor: bigint;
  readonly status: DisputeStatus;
  /** When the ledger recorded it. */
  readonly openedAt: string;
}

type Disputes = ReadonlyMap<string, Dispute>;

export const NO_DISPUTES: Disputes = new Map();

/** The disputes after any event of the payment. The first outcome of a dispute is final. */
export function disputesAfter(disputes: Disputes, event: StoredEvent<PaymentEvent>): Disputes {
  switch (event.type) {
    case 'DisputeOpened': {
      const { data, metadata } = event;
      const amountMinor = BigInt(data.amountMinor);
      const dispute: Dispute = { opening: data, amountMinor, status: 'OPEN', openedAt: metadata.recordedAt };
      return disputes.has(data.disputeId) ? disputes : new Map(disputes).set(data.disputeId, dispute);
    }
    case 'DisputeWon':
    case 'DisputeLost': {
      const known = disputes.get(event.data.disputeId);
      if (known?.status !== 'OPEN') return disputes;
      const status = event.type === 'DisputeWon' ? 'WON' : 'LOST';
      return new Map(disputes).set(event.data.disputeId, { ...known, status });
    }
    default:
      return disputes;
  }
}
