import type { Collection, StoredEvent } from '@app/event-sourcing';
import { type PaymentEvent, publicEventId, publicEventType } from '@app/payments/domain';

/** The place of one of a merchant's public events. Its content is folded from its stream on request. */
export interface PublicEventEntry extends Readonly<Record<string, unknown>> {
  readonly merchantId: string;
  /** The log position as 20 digits, so that the feed is in log order. */
  readonly order: string;
  readonly source: { readonly streamId: string; readonly revision: number };
}

export const publicEventFeed: Collection<PublicEventEntry, PaymentEvent> = {
  name: 'publicEvent',
  key: (event) => (publicEventType(event) === null ? null : publicEventId(event.id)),
  evolve: (entry, event) => entry ?? begin(event),
  listEntries: ({ merchantId, order }) => [{ list: merchantId, order }],
};

function begin(event: StoredEvent<PaymentEvent>): PublicEventEntry | null {
  if (!('merchantId' in event.data)) return null;
  return {
    merchantId: event.data.merchantId,
    order: String(event.position).padStart(20, '0'),
    source: { streamId: event.streamId, revision: event.revision },
  };
}
