import { AuditReads } from '@app/audit/commands';
import type { AuditRead } from '@app/auditors/domain';
import { containsCardNumber } from '@app/cards';
import { ApiError } from '@app/platform/http/errors/api-error';
import { toApiError } from '@app/platform/http/errors/error-answers';
import { auditorOf } from '@app/platform/http/request-state';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { Turns } from './turns';

/** Of all auditors, in one process. */
const AT_ONCE = 2;
/** Under way or waiting. */
const OF_ONE_AUDITOR = 16;
/** Longer than any identifier of ours. */
const MAX_CHARACTERS = 128;

/**
 * Every request of an auditor passes here: few are worked at once, and each is recorded, with what it was given or why
 * not, before anything is told.
 */
@Injectable()
export class AuditReadInterceptor implements NestInterceptor {
  private readonly turns = new Turns(AT_ONCE, OF_ONE_AUDITOR);

  constructor(private readonly reads: AuditReads) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = execution.switchToHttp().getRequest<FastifyRequest>();
    if (request.routeOptions.config.access?.kind !== 'auditor') return next.handle();
    const { auditorId } = auditorOf(request);
    const answer = this.turns.take(auditorId, () => this.recorded(auditorId, request, next));
    if (answer === null) throw tooMany();
    return from(answer);
  }

  private async recorded(auditorId: string, request: FastifyRequest, next: CallHandler): Promise<unknown> {
    const asked = { auditorId, operation: request.routeOptions.url ?? '', parameters: parametersOf(request) };
    const answer: unknown = await lastValueFrom<unknown>(next.handle()).catch(async (error: unknown) => {
      const { code } = toApiError(error);
      // Nothing could be recorded either, and nothing was given.
      if (code !== 'EVENT_STORE_UNAVAILABLE') await this.reads.record({ ...asked, items: 0, error: code }, request.id);
      throw error;
    });
    await this.reads.record({ ...asked, ...givenIn(answer) }, request.id);
    return answer;
  }
}

/** A cursor is left out: the positions in the answer say more. */
function parametersOf({ params, query }: FastifyRequest): AuditRead['data']['parameters'] {
  const { cursor: _opaque, ...asked } = { ...(params as object), ...(query as object) } as Record<string, unknown>;
  return Object.entries(asked)
    .map(([name, value]) => [name, recordable(String(value))] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Whoever asks for a card number must not have it written. */
function recordable(value: string): string {
  if (containsCardNumber(value)) return '[digits]';
  return value.length > MAX_CHARACTERS ? `${value.slice(0, MAX_CHARACTERS)}…` : value;
}

function givenIn(answer: unknown): Pick<AuditRead['data'], 'items' | 'positions'> {
  const { items } = Object(answer) as { readonly items?: unknown };
  if (!Array.isArray(items)) return { items: 1 };
  const [first, last] = [items.at(0), items.at(-1)].map((item) => (Object(item) as { position?: unknown }).position);
  const isOfEvents = typeof first === 'string' && typeof last === 'string';
  return { items: items.length, ...(isOfEvents ? { positions: [first, last] } : {}) };
}

function tooMany(): ApiError {
  const message = `At most ${OF_ONE_AUDITOR} requests of an auditor are taken at once. Repeat this one after Retry-After seconds.`;
  return new ApiError('RATE_LIMITED', { message, headers: { 'Retry-After': '1' } });
}
