import { AnsweredRequests } from '@app/idempotency/answered-requests';
import { assert, type CommandContext } from '@app/event-sourcing';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import type { RouteAccess } from '@app/platform/http/authentication/access';
import { operatorContext } from '@app/platform/http/operator-context';
import { ApiError } from '@app/platform/http/errors/api-error';

/**
 * Handles requests with an optional Idempotency-Key: each is performed once and always gets the same answer. If the key
 * is required, the payment's own stream stores it.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly answered: AnsweredRequests) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = execution.switchToHttp().getRequest<FastifyRequest>();
    const { access } = request.routeOptions.config;
    const key = request.state?.idempotencyKey ?? null;
    if (key === null || access === undefined || access.kind === 'public' || access.idempotencyKey !== 'optional') {
      return next.handle();
    }
    return from(this.once(key, access, request, execution.switchToHttp().getResponse<FastifyReply>(), next));
  }

  private async once(
    key: string,
    access: RouteAccess,
    request: FastifyRequest,
    reply: FastifyReply,
    next: CallHandler,
  ): Promise<unknown> {
    const { scope, context } = askerOf(request);
    const [path = ''] = (request.raw.url ?? '').split('?');
    const operation = `${request.method} ${path}`;
    // If the operation takes no body, one that is sent anyway does not distinguish requests.
    const content = access.body === 'json' ? (Object(request.body) as object) : {};
    const keyed = { scope, operation, idempotencyKey: key, content };
    const outcome = await this.answered.once(keyed, context, (seed) => {
      assert(request.state, 'a request has a state');
      request.state.seed = seed;
      return lastValueFrom(next.handle());
    });
    if (outcome.kind === 'refused') throw new ApiError(outcome.code);
    if (outcome.replayed) reply.header('Idempotent-Replayed', 'true');
    return outcome.answer;
  }
}

function askerOf(request: FastifyRequest): { readonly scope: string; readonly context: CommandContext } {
  const merchantId = request.state?.merchant?.merchantId;
  if (merchantId === undefined) return { scope: 'operator', context: operatorContext(request) };
  const scope = `merchant:${merchantId}`;
  return { scope, context: { correlationId: request.id, causationId: null, actor: scope } };
}
