import type { FieldProblem } from '@app/platform/outcome';
import { ERROR_CATALOGUE, type ErrorCode } from './catalogue';

export interface ApiErrorOptions {
  /** One per invalid field; at most 20 are shown. */
  readonly details?: readonly FieldProblem[];
  /**
   * More specific than the catalogue's message. Shown to the client; of the request, it may contain only the path of a
   * field.
   */
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An expected refusal, answered with the status of its code. */
export class ApiError extends Error {
  readonly details: readonly FieldProblem[] | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly code: ErrorCode,
    options: ApiErrorOptions = {},
  ) {
    super(options.message ?? ERROR_CATALOGUE[code].message);
    this.name = 'ApiError';
    this.details = options.details ?? null;
    this.headers = options.headers ?? {};
  }
}
