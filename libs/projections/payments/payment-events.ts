import {
  isDamagedPaymentOf,
  isPaymentId,
  type PaymentEvent,
  paymentSchemas,
  paymentStreamId,
} from '@app/domain/payment';
import { DamagedHistoryError, type EventStore, readHistory, type StoredEvent } from '@app/kernel';

/**
 * A payment's own stream, or its first events; none where it is damaged and another merchant's, which isn't told.
 *
 * @throws EventStoreUnavailableError
 * @throws DamagedHistoryError where the payment is the merchant's, or nobody can tell whose it is.
 */
export async function paymentEvents(
  eventStore: Pick<EventStore, 'readStream'>,
  merchantId: string,
  paymentId: string,
  maxCount?: number,
): Promise<readonly StoredEvent<PaymentEvent>[]> {
  if (!isPaymentId(paymentId)) return [];
  const options = maxCount === undefined ? {} : { maxCount };
  try {
    return readHistory(await eventStore.readStream(paymentStreamId(paymentId), options), paymentSchemas);
  } catch (error) {
    if (error instanceof DamagedHistoryError && !isDamagedPaymentOf(merchantId, error)) return [];
    throw error;
  }
}
