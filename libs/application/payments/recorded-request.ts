import { acceptedRequest, type CancelPayment, type CapturePayment, type Payment } from '@app/domain/payment';
import { assert } from '@app/kernel';
import type { RecordedRequest } from './commands';

/** The event that holds the capture or cancellation that the payment has accepted. */
export function recordedRequest(
  payment: Payment,
  request: Pick<CapturePayment | CancelPayment, 'type' | 'identity'>,
): RecordedRequest {
  const accepted = acceptedRequest(payment, request);
  assert(accepted, 'the payment holds a request that it has accepted');
  return { paymentId: payment.created.paymentId, revision: accepted.revision };
}
