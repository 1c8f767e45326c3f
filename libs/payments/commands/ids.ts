import { hash } from 'node:crypto';
import { encodeBase32 } from '@app/event-sourcing';

const ID_LENGTH = 26;
const REFUND_SUFFIX_LENGTH = 16;
const DISPUTE_SUFFIX_LENGTH = 16;

/**
 * The id is derived from values that the client chose, so the event store itself prevents a repeated request from
 * creating a second payment. It includes no secret, so a key rotation can't change an id.
 */
export function paymentIdOf(merchantId: string, idempotencyKey: string): string {
  return `pay_${derive(ID_LENGTH, merchantId, 'create-payment', idempotencyKey)}`;
}

/** `ref_`, the payment's 26 characters, and 16 more: a refund id always identifies its payment. */
export function refundIdOf(paymentId: string, merchantId: string, idempotencyKey: string): string {
  const suffix = derive(REFUND_SUFFIX_LENGTH, merchantId, 'create-refund', paymentId, idempotencyKey);
  return `ref_${paymentId.slice('pay_'.length)}${suffix}`;
}

/** `dsp_`, the payment's 26 characters, and 16 more, derived from the gateway's name for the dispute. */
export function disputeIdOf(paymentId: string, disputeReference: string): string {
  return `dsp_${paymentId.slice('pay_'.length)}${derive(DISPUTE_SUFFIX_LENGTH, paymentId, 'dispute', disputeReference)}`;
}

/** The references that the gateway knows the payment's transactions by. */
export function transactionIdsOf(paymentId: string) {
  return {
    authorization: transactionIdOf(paymentId, 'authorization'),
    capture: transactionIdOf(paymentId, 'capture'),
    void: transactionIdOf(paymentId, 'void'),
  };
}

/** The one, permanent reference of a transaction on the resource. */
export function transactionIdOf(resourceId: string, act: 'authorization' | 'capture' | 'void' | 'refund'): string {
  return `txn_${derive(ID_LENGTH, resourceId, act)}`;
}

/** SHA-256 over the parts, each prefixed with its length in bytes, as Crockford base32. */
function derive(length: number, ...parts: readonly string[]): string {
  const framed = parts.map((part) => `${Buffer.byteLength(part)}:${part},`).join('');
  return encodeBase32(hash('sha256', framed, 'buffer'), length);
}
