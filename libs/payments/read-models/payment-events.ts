import {
  isDamagedPaymentOf,
  isPaymentId,
  type PaymentEvent,
  paymentSchemas,
  paymentStreamId,
} from '@app/payments/domain';
import {
  assertNotDeleted,
  type Clock,
  DamagedHistoryError,
  type EventStore,
  readHistory,
  type StoredEvent,
  streamPages,
} from '@app/event-sourcing';

export interface PaymentEventsOptions {
  /** The last revision needed; absent reads all. */
  readonly lastRevision?: number;
  /** Returns true once no later event is needed. */
  readonly isEnough?: (event: StoredEvent<PaymentEvent>) => boolean;
}

/**
 * A payment's stream, or its first events. Empty if it is damaged and belongs to another merchant, which must not be
 * disclosed.
 *
 * @param merchantId null: whose payment it is does not matter.
 * @throws EventStoreUnavailableError
 * @throws DamagedHistoryError if the payment is the merchant's, or its owner can't be determined.
 */
export async function paymentEvents(
  stores: { readonly eventStore: Pick<EventStore, 'readStream' | 'wasDeletedFrom'>; readonly clock: Clock },
  merchantId: string | null,
  paymentId: string,
  { lastRevision = Infinity, isEnough = () => false }: PaymentEventsOptions = {},
): Promise<readonly StoredEvent<PaymentEvent>[]> {
  if (!isPaymentId(paymentId)) return [];
  const streamId = paymentStreamId(paymentId);
  const events: StoredEvent<PaymentEvent>[] = [];
  try {
    for await (const page of streamPages(stores, streamId, lastRevision)) {
      for (const event of readHistory<PaymentEvent>(page, paymentSchemas, { last: endOf(events.at(-1)) })) {
        events.push(event);
        if (isEnough(event)) return events;
      }
    }
    if (events.length === 0) await assertNotDeleted(stores.eventStore, streamId);
    return events;
  } catch (error) {
    if (!(error instanceof DamagedHistoryError)) throw error;
    const sound = [...events, ...error.sound];
    if (merchantId !== null && !isDamagedPaymentOf(merchantId, { sound })) return [];
    throw error;
  }
}

function endOf(event: StoredEvent | undefined) {
  return event === undefined
    ? null
    : { revision: event.revision, hash: event.metadata.hash, recordedAt: event.metadata.recordedAt };
}
