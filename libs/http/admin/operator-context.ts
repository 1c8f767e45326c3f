import type { CommandContext } from '@app/kernel';
import type { FastifyRequest } from 'fastify';

/** In whose name the operator's commands are recorded. */
export function operatorContext(request: FastifyRequest): CommandContext {
  return { correlationId: request.id, causationId: null, actor: 'operator' };
}
