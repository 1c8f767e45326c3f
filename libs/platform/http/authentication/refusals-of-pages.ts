import type { AuthenticatingApi, AuthenticationFailure } from '@app/platform/telemetry';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { JSON_UTF8 } from '../errors/error-answers';
import { errorBody } from '../errors/error-body';
import { ERROR_CATALOGUE } from '../errors/catalogue';
import { PUBLIC_PAGE } from './access';
import { type FailedAuthentications, tooManyFailures } from './failed-authentications';

/**
 * Pages and protocols that authenticate by themselves, by a signature or by a token in the path. Their refusals count
 * like those of the gate.
 */
export function countRefusalsOfPages(instance: FastifyInstance, failures: FailedAuthentications): void {
  instance.addHook('onSend', (request, reply, payload, done) => {
    const refusal = refusalOf(request, reply);
    if (refusal === null || request.state === null) return done(null, payload);
    const { api, reason } = refusal;
    request.state.refused = { reason };
    const retryAfterSeconds = failures.note(request.state.source, api, reason);
    if (retryAfterSeconds === null) return done(null, payload);
    const error = tooManyFailures(retryAfterSeconds);
    request.errorCode = error.code;
    reply.code(ERROR_CATALOGUE[error.code].status).type(JSON_UTF8).headers(error.headers);
    done(null, JSON.stringify(errorBody(error, request.id)));
  });
}

function refusalOf(
  { routeOptions, params }: FastifyRequest,
  { statusCode }: FastifyReply,
): { readonly api: AuthenticatingApi; readonly reason: AuthenticationFailure } | null {
  if (routeOptions.config.access !== PUBLIC_PAGE) return null;
  if (statusCode === 401) return { api: 'gateway', reason: 'signature' };
  const hasToken = 'token' in Object(params);
  return statusCode === 404 && hasToken ? { api: 'sandbox', reason: 'unknown' } : null;
}
