import type { DamagedHistoryError, StoredEvent } from '@app/event-sourcing';
import type { PaymentEvent } from './events';

/**
 * Whether the damage may be disclosed to the merchant: the payment is theirs, or its owner is unknown because not even
 * its first event can be trusted.
 */
export function isDamagedPaymentOf(merchantId: string, { sound }: Pick<DamagedHistoryError, 'sound'>): boolean {
  const [first] = sound as readonly StoredEvent<PaymentEvent>[];
  return first?.type !== 'PaymentCreated' || first.data.merchantId === merchantId;
}
