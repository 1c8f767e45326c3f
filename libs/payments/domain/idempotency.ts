import { unreachable } from '@app/event-sourcing';
import {
  type IdempotencyRecord,
  isSameKey,
  noveltyOf,
  type RequestIdentity,
  type RequestNovelty,
} from '@app/idempotency/domain/repetition';
import type { CancelPayment, CapturePayment, CreatePayment, CreateRefund } from './commands';
import { type Payment, refundOf } from './payment';

/** An accepted request. Its response, and that of every replay, shows the payment as of the event that stores it. */
export interface AcceptedRequest {
  readonly type: 'CapturePayment' | 'CancelPayment';
  readonly idempotency: IdempotencyRecord;
  readonly revision: number;
}

/** What identifies a request before anything else in it is validated. */
export type KeyedRequest =
  | Pick<CreatePayment | CapturePayment | CancelPayment, 'type' | 'identity'>
  | Pick<CreateRefund, 'type' | 'identity' | 'refundId'>;

/** Whether the payment has already accepted this request. */
export function paymentNoveltyOf(request: KeyedRequest, payment: Payment | null): RequestNovelty {
  return noveltyOf(request.identity.fingerprints, payment && recordIn(payment, request));
}

/** The idempotency record that the payment holds for the request's key. */
function recordIn(payment: Payment, request: KeyedRequest): IdempotencyRecord | null {
  switch (request.type) {
    case 'CreatePayment':
      // The payment's id is derived from its key, so there is only one record to compare with.
      return payment.created.idempotency;
    case 'CapturePayment':
    case 'CancelPayment':
      return acceptedRequest(payment, request.type, request.identity)?.idempotency ?? null;
    case 'CreateRefund':
      // The same applies to the refund's id.
      return refundOf(payment, request.refundId)?.request.idempotency ?? null;
    default:
      return unreachable(request);
  }
}

/** The capture or cancellation accepted under this key. */
export function acceptedRequest(
  { requests }: Payment,
  type: AcceptedRequest['type'],
  identity: RequestIdentity,
): AcceptedRequest | null {
  return requests.find((request) => request.type === type && isSameKey(identity, request.idempotency)) ?? null;
}
