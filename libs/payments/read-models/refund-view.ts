import type { Collection, StoredEvent } from '@app/event-sourcing';
import { type PaymentEvent, toRefundResource } from '@app/payments/domain';
import type { RefundBody } from './documents';

/** The refund as shown to merchants, with what is needed to find it. */
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
  const at = event.metadata.recordedAt;
  switch (event.type) {
    case 'RefundRequested': {
      const body = toRefundResource({ request: event.data, requestedAt: at });
      return view ?? { merchantId: event.data.merchantId, body };
    }
    case 'RefundCompleted':
      return view && settled(view, { status: 'COMPLETED' }, { completedAt: at });
    case 'RefundFailed':
      return view && settled(view, { status: 'FAILED', error: event.data.failure }, { failedAt: at });
    default:
      return view;
  }
}

function settled(
  view: RefundView,
  change: Pick<RefundBody, 'status' | 'error'>,
  time: Partial<RefundBody['timeline']>,
): RefundView {
  const { body } = view;
  return { ...view, body: { ...body, ...change, timeline: { ...body.timeline, ...time } } };
}
