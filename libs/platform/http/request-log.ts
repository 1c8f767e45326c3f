import { containsCardNumber } from '@app/cards';
import { type Logger, type Metrics, type RequestLogFields } from '@app/platform/telemetry';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { askedPath } from './asked-path';
import { peerOf } from './authentication/source-address';

/** The payment that the request names or has made; null where it is about none. */
export type PaymentIdOf = (request: FastifyRequest, reply: FastifyReply) => string | null;

export interface RequestRecorders {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly paymentIdOf: PaymentIdOf;
}

/**
 * One line and one measurement for each answer. The route's pattern stands for the path, which may hold a secret token; of
 * its parameters the payment's identifier alone is told. A path that has no route is told as it was asked for, masked; not to the
 * metrics, where each would be a series.
 */
export function recordRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  { logger, metrics, paymentIdOf }: RequestRecorders,
): void {
  const { state } = request;
  const durationMs = state?.elapsedMs() ?? 0;
  const route = request.routeOptions.url;
  const paymentId = paymentIdOf(request, reply);
  const fields: RequestLogFields = {
    requestId: request.id,
    method: request.method,
    path: route ?? askedPath(request.raw.url ?? ''),
    status: reply.statusCode,
    durationMs,
    source: state?.source ?? peerOf(request.raw.socket),
    ...subjectOf(request),
    ...(paymentId === null ? {} : { paymentId }),
    ...(request.errorCode === null ? {} : { code: request.errorCode }),
  };
  logger.info('request', fields);
  metrics.httpRequest(request.method, route ?? 'unknown', reply.statusCode, durationMs / 1000);
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
