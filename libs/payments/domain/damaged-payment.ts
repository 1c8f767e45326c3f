import type { DamagedHistoryError, StoredEvent } from '@app/event-sourcing';
import type { PaymentEvent } from './events';

/** Whether the merchant may be told: the payment is theirs, or not even its first event says whose it is. */
export function isDamagedPaymentOf(merchantId: string, { sound }: Pick<DamagedHistoryError, 'sound'>): boolean {
  const [first] = sound as readonly StoredEvent<PaymentEvent>[];
  return first?.type !== 'PaymentCreated' || first.data.merchantId === merchantId;
}
