import type { Collection, StoredEvent } from '@app/event-sourcing';
import { type DisputeStatus, type PaymentEvent, toDisputeResource } from '@app/payments/domain';
import type { DisputeBody } from './documents';

/** The dispute as shown to merchants, with what is needed to find it. */
export interface DisputeView extends Readonly<Record<string, unknown>> {
  readonly merchantId: string;
  readonly body: DisputeBody;
}

export interface DisputeFilters {
  readonly status?: DisputeStatus;
  readonly paymentId?: string;
}

export const disputeView: Collection<DisputeView, PaymentEvent> = {
  name: 'dispute',
  key: (event) => (isOfDispute(event) ? event.data.disputeId : null),
  evolve: (view, event) =>
    isOfDispute(event) ? { merchantId: event.data.merchantId, body: toDisputeResource(event) } : view,
  listEntries: ({ merchantId, body }) => {
    const order = `${body.timeline.createdAt}|${body.disputeId}`;
    const { status, paymentId } = body;
    const filters: readonly DisputeFilters[] = [{}, { status }, { paymentId }, { status, paymentId }];
    return filters.map((filter) => ({ list: disputeListOf(merchantId, filter), order }));
  },
};

/** The list of the merchant's disputes with these properties. */
export function disputeListOf(merchantId: string, { status, paymentId }: DisputeFilters): string {
  return `${merchantId}|${status ?? ''}|${paymentId ?? ''}`;
}

type DisputeEvent = Extract<PaymentEvent, { readonly type: 'DisputeOpened' | 'DisputeWon' | 'DisputeLost' }>;

function isOfDispute(event: PaymentEvent): event is DisputeEvent;
function isOfDispute(event: StoredEvent<PaymentEvent>): event is StoredEvent<DisputeEvent>;
function isOfDispute({ type }: PaymentEvent): boolean {
  return type === 'DisputeOpened' || type === 'DisputeWon' || type === 'DisputeLost';
}
