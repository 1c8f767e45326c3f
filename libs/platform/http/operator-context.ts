import type { CommandContext } from '@app/event-sourcing';
import type { FastifyRequest } from 'fastify';

/** Adds to the request's log line the id that it created, because its path does not name that. */
export function noteMade({ state }: FastifyRequest, id: string): void {
  if (state !== null) state.made = id;
}

/** The context with which the operator's commands are recorded. */
export function operatorContext(request: FastifyRequest): CommandContext {
  return { correlationId: request.id, causationId: null, actor: 'operator' };
}
