import type { Logger, Metrics, RequestLogFields } from '@app/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** One line and one measurement for each answer. The route's pattern stands for the path, which may hold a secret token. */
export function recordRequest(request: FastifyRequest, reply: FastifyReply, logger: Logger, metrics: Metrics): void {
  const { state } = request;
  const durationMs = state?.elapsedMs() ?? 0;
  const path = request.routeOptions.url ?? 'unknown';
  const fields: RequestLogFields = {
    requestId: request.id,
    method: request.method,
    path,
    status: reply.statusCode,
    durationMs,
    ...(state === null || state.merchant === null ? {} : { merchantId: state.merchant.merchantId }),
  };
  logger.info('request', fields);
  metrics.httpRequest(request.method, path, reply.statusCode, durationMs / 1000);
}
