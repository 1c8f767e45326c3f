import {
  type Clock,
  ContentionError,
  DamagedHistoryError,
  EventStoreUnavailableError,
  ReadStoreUnavailableError,
} from '@app/event-sourcing';
import { type DamagedStreams, type FailureLog, failureLog, type Logger } from '@app/platform/telemetry';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from './api-error';
import { ERROR_CATALOGUE, type ErrorCode } from './catalogue';
import { errorBody } from './error-body';

export const JSON_UTF8 = 'application/json; charset=utf-8';

/** Answers every failed request, wherever it failed: in a hook, in Fastify, in Nest or in a handler. */
export class ErrorAnswers {
  private readonly failures: FailureLog;
  private readonly damaged: Pick<DamagedStreams, 'report'>;

  constructor(deps: {
    readonly logger: Logger;
    readonly clock: Clock;
    /** Receives the damaged streams that requests encounter. Absent: they are not reported. */
    readonly damaged?: Pick<DamagedStreams, 'report'>;
  }) {
    this.failures = failureLog(deps);
    this.damaged = deps.damaged ?? { report: () => undefined };
  }

  send(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    if (reply.sent) return;
    if (error instanceof DamagedHistoryError) this.damaged.report(error);
    const apiError = toApiError(error);
    request.errorCode = apiError.code;
    const { status, retryAfterSeconds } = ERROR_CATALOGUE[apiError.code];
    if (apiError !== error && status >= 500) this.tell(apiError.code, error, request);
    reply.code(status).type(JSON_UTF8).header('X-Request-ID', request.id).headers(apiError.headers);
    if (status === 401) reply.header('WWW-Authenticate', 'Bearer');
    if (retryAfterSeconds !== undefined) reply.header('Retry-After', String(retryAfterSeconds));
    // The reason may be gone a second later, so no cache may store it.
    reply.header('Cache-Control', 'no-store').send(JSON.stringify(errorBody(apiError, request.id)));
  }

  /** Logs the cause once per outage or fault. Each request also has its own log line with the code. */
  private tell(code: ErrorCode, cause: unknown, request: FastifyRequest): void {
    const isForeseen = code !== 'INTERNAL_ERROR';
    const words = isForeseen
      ? ({ level: 'warn', message: 'requests are refused' } as const)
      : ({ level: 'error', message: 'request failed' } as const);
    this.failures.failed({ ...words, fields: { requestId: request.id, code }, about: code, isForeseen }, cause);
  }
}

/** The client's view of an error. An unexpected error reveals nothing but that it happened. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof DamagedHistoryError) return new ApiError('HISTORY_DAMAGED');
  if (error instanceof EventStoreUnavailableError) return new ApiError('EVENT_STORE_UNAVAILABLE');
  if (error instanceof ReadStoreUnavailableError || error instanceof ContentionError) return new ApiError('BUSY');
  return new ApiError(codeOfHttpError(error));
}

/** Recognises Fastify's own errors by their codes. Any other error counts as a fault of the service. */
function codeOfHttpError(error: unknown): ErrorCode {
  if (!(error instanceof Error)) return 'INTERNAL_ERROR';
  const { code, statusCode } = error as Error & { readonly code?: unknown; readonly statusCode?: unknown };
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return 'BODY_TOO_LARGE';
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return 'MEDIA_TYPE_NOT_SUPPORTED';
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'ECONNRESET':
      // The body ended early, or the connection broke while the body was being read.
      return statusCode === 400 ? 'MALFORMED_REQUEST' : 'INTERNAL_ERROR';
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
    case 'FST_ERR_NOT_FOUND':
      return 'ROUTE_NOT_FOUND';
    default:
      return 'INTERNAL_ERROR';
  }
}
