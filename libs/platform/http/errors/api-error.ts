import type { FieldProblem } from '@app/platform/outcome';
import { ERROR_CATALOGUE, type ErrorCode } from './catalogue';

export interface ApiErrorOptions {
  /** One for each field that is wrong; at most 20 are shown. */
  readonly details?: readonly FieldProblem[];
  /** Says it more exactly than the catalogue does. Shown to the client: of the request it may hold the path of a field alone. */
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An expected refusal, to be answered with the code's status. */
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
