import type { RequestIdentity } from '@app/domain/idempotency';
import { acceptedRequest, type AcceptedRequest, type Payment } from '@app/domain/payment';
import { assert } from '@app/kernel';
import type { RecordedRequest } from './commands';

/** The event that holds the capture or cancellation that the payment has accepted. */
export function recordedRequest(
  payment: Payment,
  { type, identity }: { readonly type: AcceptedRequest['type']; readonly identity: RequestIdentity },
): RecordedRequest {
  const accepted = acceptedRequest(payment, type, identity);
  assert(accepted, 'the payment holds a request that it has accepted');
  return { paymentId: payment.created.paymentId, revision: accepted.revision };
}
