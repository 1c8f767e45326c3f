/** The prefix of every merchant's stream. */
export const MERCHANT_STREAM_PREFIX = 'merchant-';

const MERCHANT_ID = /^[A-Za-z0-9_]{1,64}$/;

export function isMerchantId(value: string): boolean {
  return MERCHANT_ID.test(value);
}

export function merchantStreamId(merchantId: string): string {
  return MERCHANT_STREAM_PREFIX + merchantId;
}
