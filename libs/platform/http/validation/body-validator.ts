import { Ajv, type ErrorObject, type Options } from 'ajv';
import { FORMATS, type JsonSchema } from './rules';
import { ApiError } from '../errors/api-error';
import type { ErrorCode } from '../errors/catalogue';
import { fieldProblems } from './field-problems';

/** No valid body has nearly as many values. In a larger one only the first problem is reported. */
const MAX_VALUES_JUDGED_WHOLLY = 2_000;

// One compiler of each kind for all routes: each one compiles the meta-schema, which is larger than all of our schemas.
const FIRST_PROBLEM = schemaCompiler({ allErrors: false });
/** Compiles only schemas that `FIRST_PROBLEM` has accepted. */
const ALL_PROBLEMS = schemaCompiler({ allErrors: true, validateSchema: false });

/** The signature that Fastify expects of a compiled schema. */
export type BodyValidator = (body: unknown) => { readonly value: unknown } | { readonly error: ApiError };

/** Compiles a body's schema. Validation never changes the body: no coerced types, no defaults, no removed members. */
export function compileBodyValidator(schema: JsonSchema): BodyValidator {
  const accepts = FIRST_PROBLEM.compile(schema);
  const judge = ALL_PROBLEMS.compile(schema);
  return (body) => {
    if (accepts(body)) return { value: body };
    // A valid body needs only the first pass. All problems are collected only for bodies of limited size, since each
    // one costs time.
    let errors = accepts.errors ?? [];
    if (countValues(body, MAX_VALUES_JUDGED_WHOLLY) < MAX_VALUES_JUDGED_WHOLLY) {
      judge(body);
      errors = judge.errors ?? [];
    }
    return { error: toApiError(errors, body) };
  };
}

function schemaCompiler(options: Pick<Options, 'allErrors' | 'validateSchema'>): Ajv {
  const ajv = new Ajv({
    ...options,
    strict: true,
    coerceTypes: false,
    useDefaults: false,
    removeAdditional: false,
    unicodeRegExp: true,
    // Puts the schema and the value into each error. Neither may get further than `fieldProblems`.
    verbose: true,
    formats: FORMATS,
  });
  return ajv.addVocabulary(['x-problem', 'x-error', 'x-hint']);
}

function toApiError(errors: readonly ErrorObject[], body: unknown): ApiError {
  for (const { keyword, parentSchema } of errors) {
    const code = (parentSchema as { readonly 'x-error'?: ErrorCode } | undefined)?.['x-error'];
    if (code !== undefined && (keyword === 'minItems' || keyword === 'maxItems')) return new ApiError(code);
  }
  return new ApiError('VALIDATION_FAILED', { details: fieldProblems(errors, body) });
}

/** How many values the body contains; stops at `limit`. */
function countValues(value: unknown, limit: number): number {
  let count = 1;
  if (typeof value !== 'object' || value === null) return count;
  for (const member of Object.values(value)) {
    if (count >= limit) break;
    count += countValues(member, limit - count);
  }
  return count;
}
