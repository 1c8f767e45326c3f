import type { CommandContext } from '@app/event-sourcing';
import type { FastifyRequest } from 'fastify';

/** For the log: what the request made, which its path doesn't name. */
export function noteMade({ state }: FastifyRequest, id: string): void {
  if (state !== null) state.made = id;
}

/** In whose name the operator's commands are recorded. */
export function operatorContext(request: FastifyRequest): CommandContext {
  return { correlationId: request.id, causationId: null, actor: 'operator' };
}
