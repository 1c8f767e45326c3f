import { isPaymentId, paymentIdOfRefund } from '@app/domain/payment';
import { type Logger, maskedDigits, type Metrics, type RequestLogFields } from '@app/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * One line and one measurement for each answer. The route's pattern stands for the path, which may hold a secret token; of
 * its parameters the payment's identifier alone is told.
 */
export function recordRequest(request: FastifyRequest, reply: FastifyReply, logger: Logger, metrics: Metrics): void {
  const { state } = request;
  const durationMs = state?.elapsedMs() ?? 0;
  const path = request.routeOptions.url ?? 'unknown';
  const paymentId = paymentIdOf(request, reply);
  const fields: RequestLogFields = {
    requestId: request.id,
    method: request.method,
    path,
    status: reply.statusCode,
    durationMs,
    ...(state === null || state.merchant === null ? {} : { merchantId: state.merchant.merchantId }),
    ...(paymentId === null ? {} : { paymentId }),
    ...(request.errorCode === null ? {} : { code: request.errorCode }),
  };
  logger.info('request', fields);
  metrics.httpRequest(request.method, path, reply.statusCode, durationMs / 1000);
}

/** The payment that the path names, itself or by its refund, or that was just made; null for anything that is no identifier. */
function paymentIdOf({ params }: FastifyRequest, reply: FastifyReply): string | null {
  const { paymentId, refundId } = (params ?? {}) as { readonly paymentId?: string; readonly refundId?: string };
  const named = paymentId ?? (refundId === undefined ? createdAt(reply) : paymentIdOfRefund(refundId));
  // Somebody may have put a card number into what looks like an identifier; none of ours has so many digits in a row.
  return named !== null && isPaymentId(named) && maskedDigits(named) === named ? named : null;
}

function createdAt(reply: FastifyReply): string | null {
  const location = reply.getHeader('Location');
  return typeof location === 'string' ? location.slice(location.lastIndexOf('/') + 1) : null;
}
