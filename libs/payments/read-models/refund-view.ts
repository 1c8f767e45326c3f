import type { Collection, StoredEvent } from '@app/event-sourcing';
import { type PaymentEvent, toRefundResource } from '@app/payments/domain';
import type { RefundBody } from './documents';

/** The refund as it is answered, with what is needed to find it. */
export interface RefundView extends Readonly<Record<string, unknown>> {
  readonly merchantId: string;
  readonly body: RefundBody;
}

export const refundView: Collection<RefundView, PaymentEvent> = {
  name: 'refund',
  key: (event) =>
    event.type === 'RefundRequested' || event.type === 'RefundCompleted' || event.type === 'RefundFailed'
      ? event.data.refundId
      : null,
  evolve,
};

function evolve(view: RefundView | null, event: StoredEvent<PaymentEvent>): RefundView | null {
  switch (event.type) {
    case 'RefundRequested': {
      const body = toRefundResource(event.data, { status: 'PENDING', failure: null });
      return view ?? { merchantId: event.data.merchantId, body };
    }
    case 'RefundCompleted':
      return view === null ? null : { ...view, body: { ...view.body, status: 'COMPLETED' } };
    case 'RefundFailed':
      return view === null ? null : { ...view, body: { ...view.body, status: 'FAILED', error: event.data.failure } };
    default:
      return view;
  }
}
