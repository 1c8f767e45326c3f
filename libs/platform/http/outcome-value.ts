import type { Outcome } from '@app/platform/outcome';
import type { FastifyReply } from 'fastify';
import { ApiError } from './errors/api-error';
import type { ErrorCode } from './errors/catalogue';

/** The command's result; sets `Idempotent-Replayed` for a replay. @throws ApiError if the command was refused */
export function valueOf<T>(outcome: Outcome<T, ErrorCode>, reply: FastifyReply): T {
  if (outcome.kind === 'refused') {
    const { code, problems, message } = outcome;
    throw new ApiError(code, {
      ...(problems === undefined ? {} : { details: problems }),
      ...(message === undefined ? {} : { message }),
    });
  }
  if (outcome.replayed) reply.header('Idempotent-Replayed', 'true');
  return outcome.value;
}

/** Only the merchant itself may cache the resource, no longer than reads may lag anyway. */
export const PRIVATE_FOR_5_SECONDS = 'private, max-age=5';
