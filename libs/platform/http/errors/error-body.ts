import type { FieldProblem } from '@app/platform/outcome';
import type { ApiError } from './api-error';

const MAX_DETAILS = 20;

export interface ErrorBody {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details?: readonly FieldProblem[];
    readonly requestId: string;
  };
}

/** The one shape of all API errors. */
export function errorBody(error: ApiError, requestId: string): ErrorBody {
  const { code, message, details } = error;
  return {
    error: { code, message, ...(details === null ? {} : { details: details.slice(0, MAX_DETAILS) }), requestId },
  };
}
