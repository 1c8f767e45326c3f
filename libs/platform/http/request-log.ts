import { containsCardNumber } from '@app/cards';
import { isPaymentId, paymentIdOfRefund } from '@app/payments/domain';
import { type Logger, maskedDigits, type Metrics, type RequestLogFields } from '@app/platform/telemetry';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { peerOf } from './authentication/source-address';

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
    source: state?.source ?? peerOf(request.raw.socket),
    ...subjectOf(request),
    ...(paymentId === null ? {} : { paymentId }),
    ...(request.errorCode === null ? {} : { code: request.errorCode }),
  };
  logger.info('request', fields);
  metrics.httpRequest(request.method, path, reply.statusCode, durationMs / 1000);
}

/** Who it was, as far as that was shown, and for the operator on what. */
function subjectOf({ state, params }: FastifyRequest): Partial<RequestLogFields> {
  if (state === null) return {};
  const { merchant, isOperator, refused, made } = state;
  if (isOperator) {
    const targets = [...Object.values((params ?? {}) as Readonly<Record<string, unknown>>), made].filter(isIdentifier);
    return { actor: 'operator', ...(targets.length === 0 ? {} : { target: targets.join('/') }) };
  }
  if (merchant === null) return refused ?? {};
  const { merchantId, tokenId } = merchant;
  return { actor: `merchant:${merchantId}`, merchantId, tokenId, ...refused };
}

/** Whatever else stands in a path, nobody may have it written into the log. */
function isIdentifier(text: unknown): text is string {
  return typeof text === 'string' && /^[A-Za-z0-9_:-]{1,64}$/.test(text) && !containsCardNumber(text);
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
