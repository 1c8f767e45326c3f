import { isPaymentId, paymentIdOfRefund } from '@app/payments/domain';
import { maskedDigits } from '@app/platform/telemetry';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * The payment that the path names, directly or by its refund, or that was just created; null for anything that is no
 * id.
 */
export function paymentIdOf({ params }: FastifyRequest, reply: FastifyReply): string | null {
  const { paymentId, refundId } = (params ?? {}) as { readonly paymentId?: string; readonly refundId?: string };
  const named = paymentId ?? (refundId === undefined ? madeAt(reply) : paymentIdOfRefund(refundId));
  // The text may contain a card number in the form of an id; our own ids never have so many digits in a row.
  return named !== null && isPaymentId(named) && maskedDigits(named) === named ? named : null;
}

function madeAt(reply: FastifyReply): string | null {
  const location = reply.getHeader('Location');
  return typeof location === 'string' ? location.slice(location.lastIndexOf('/') + 1) : null;
}
