import { DATA_KEYS_STREAM_ID } from '@app/keys/domain';
import { INSTALLATIONS_STREAM_ID } from '@app/installations/domain';
import { isMerchantId, MERCHANT_STREAM_PREFIX } from '@app/merchants/domain';
import { GATEWAY_DISPUTES_STREAM_ID, isPaymentStream, PAYMENT_STREAM_PREFIX } from '@app/payments/domain';
import { isDeliveryId, WEBHOOK_DELIVERY_STREAM_PREFIX } from '@app/webhooks/domain';

/** Whether the stream name is one that this service uses. A name that only begins like one is somebody else's. */
export function isStreamOfOurs(streamId: string): boolean {
  if (streamId.startsWith(PAYMENT_STREAM_PREFIX)) return isPaymentStream(streamId);
  if (streamId.startsWith(MERCHANT_STREAM_PREFIX)) return isMerchantId(streamId.slice(MERCHANT_STREAM_PREFIX.length));
  if (streamId.startsWith(WEBHOOK_DELIVERY_STREAM_PREFIX)) {
    return isDeliveryId(`whd_${streamId.slice(WEBHOOK_DELIVERY_STREAM_PREFIX.length)}`);
  }
  if (streamId === DATA_KEYS_STREAM_ID || streamId === INSTALLATIONS_STREAM_ID) return true;
  if (streamId === GATEWAY_DISPUTES_STREAM_ID) return true;
  return /^(projection|request)-/.test(streamId);
}
