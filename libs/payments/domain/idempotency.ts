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

/** A request that was accepted. Its answer, and every replay's, shows the payment as of the event that holds it. */
export interface AcceptedRequest {
  readonly type: 'CapturePayment' | 'CancelPayment';
  readonly idempotency: IdempotencyRecord;
  readonly revision: number;
}

/** What a request is recognised by, before anything else of it is judged. */
export type KeyedRequest =
  | Pick<CreatePayment | CapturePayment | CancelPayment, 'type' | 'identity'>
  | Pick<CreateRefund, 'type' | 'identity' | 'refundId'>;

/** Whether the payment has accepted this request before. */
export function paymentNoveltyOf(request: KeyedRequest, payment: Payment | null): RequestNovelty {
  return noveltyOf(request.identity.fingerprints, payment && recordIn(payment, request));
}

/** What the payment holds under the request's key. */
function recordIn(payment: Payment, request: KeyedRequest): IdempotencyRecord | null {
  switch (request.type) {
    case 'CreatePayment':
      // The payment's id is derived from its key.
      return payment.created.idempotency;
    case 'CapturePayment':
    case 'CancelPayment':
      return acceptedRequest(payment, request.type, request.identity)?.idempotency ?? null;
    case 'CreateRefund':
      // And so is the refund's.
      return refundOf(payment, request.refundId)?.request.idempotency ?? null;
    default:
      return unreachable(request);
  }
}

/** The capture or cancellation that was accepted under this key. */
export function acceptedRequest(
  { requests }: Payment,
  type: AcceptedRequest['type'],
  identity: RequestIdentity,
): AcceptedRequest | null {
  return requests.find((request) => request.type === type && isSameKey(identity, request.idempotency)) ?? null;
}
