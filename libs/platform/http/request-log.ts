import { containsCardNumber } from '@app/cards';
import { type Logger, type Metrics, type RequestLogFields } from '@app/platform/telemetry';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { askedPath } from './asked-path';
import { peerOf } from './authentication/source-address';

/** The payment that the request names or has created; null if there is none. */
export type PaymentIdOf = (request: FastifyRequest, reply: FastifyReply) => string | null;

export interface RequestRecorders {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly paymentIdOf: PaymentIdOf;
}

/**
 * Writes one log line and one measurement per answer. The route's pattern replaces the path, which may contain a secret
 * token; of a merchant's parameters only the payment's id is logged. A path without a route is logged masked, but kept
 * out of the metrics, where each path would become a series.
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

/** The authenticated caller, or what is known of refused credentials; for the operator also the target. */
function subjectOf({ state, params }: FastifyRequest): Partial<RequestLogFields> {
  if (state === null) return {};
  const { merchant, auditor, isOperator, refused, made } = state;
  if (isOperator) {
    const targets = [...Object.values((params ?? {}) as Readonly<Record<string, unknown>>), made].filter(isIdentifier);
    return { actor: 'operator', ...(targets.length === 0 ? {} : { target: targets.join('/') }) };
  }
  if (auditor !== null) return { actor: `auditor:${auditor.auditorId}` };
  if (merchant === null) return refused ?? {};
  const { merchantId, tokenId } = merchant;
  return { actor: `merchant:${merchantId}`, merchantId, tokenId, ...refused };
}

/** Whatever else a path contains must not get into the log. */
function isIdentifier(text: unknown): text is string {
  return typeof text === 'string' && /^[A-Za-z0-9_:-]{1,64}$/.test(text) && !containsCardNumber(text);
}
