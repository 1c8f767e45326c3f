import { uuidToBase32 } from '@app/event-sourcing';

/** The prefix of every payment's stream. */
export const PAYMENT_STREAM_PREFIX = 'payment-';

const PAYMENT_ID = /^pay_([0-9A-HJKMNP-TV-Z]{26})$/;
const REFUND_ID = /^ref_([0-9A-HJKMNP-TV-Z]{26})[0-9A-HJKMNP-TV-Z]{16}$/;

const DISPUTE_ID = /^dsp_([0-9A-HJKMNP-TV-Z]{26})[0-9A-HJKMNP-TV-Z]{16}$/;

export function isPaymentId(value: string): boolean {
  return PAYMENT_ID.test(value);
}

/** `payment-<26>` of `pay_<26>`. */
export function paymentStreamId(paymentId: string): string {
  return PAYMENT_STREAM_PREFIX + paymentId.slice('pay_'.length);
}

/** `pay_<26>` of `payment-<26>`. */
export function paymentIdOfStream(streamId: string): string {
  return `pay_${streamId.slice(PAYMENT_STREAM_PREFIX.length)}`;
}

export function isPaymentStream(streamId: string): boolean {
  return streamId.startsWith(PAYMENT_STREAM_PREFIX) && isPaymentId(paymentIdOfStream(streamId));
}

/** The id of the payment that a refund belongs to, derived from the refund's id alone; null if it is no refund id. */
export function paymentIdOfRefund(refundId: string): string | null {
  const match = REFUND_ID.exec(refundId);
  return match === null ? null : `pay_${match[1]}`;
}

/** The id of the payment that a dispute is about, derived from the dispute's id alone; null if it is no dispute id. */
export function paymentIdOfDispute(disputeId: string): string | null {
  const match = DISPUTE_ID.exec(disputeId);
  return match === null ? null : `pay_${match[1]}`;
}

/** `evt_<26>`: the public id of a stored event, its UUID in Crockford base32. */
export function publicEventId(storedEventId: string): string {
  return `evt_${uuidToBase32(storedEventId)}`;
}
