import { Ajv, type ErrorObject, type Options } from 'ajv';
import { FORMATS, type JsonSchema } from './rules';
import { ApiError } from '../errors/api-error';
import type { ErrorCode } from '../errors/catalogue';
import { fieldProblems } from './field-problems';

/** No valid body holds nearly as many values; in a larger one only the first problem is looked for. */
const MAX_VALUES_JUDGED_WHOLLY = 2_000;

// One compiler of each kind for all routes: each one made compiles the schema of schemas, which is larger than all of ours.
const FIRST_PROBLEM = schemaCompiler({ allErrors: false });
/** Of a schema that the other compiler took. */
const ALL_PROBLEMS = schemaCompiler({ allErrors: true, validateSchema: false });

/** What Fastify expects of a compiled schema. */
export type BodyValidator = (body: unknown) => { readonly value: unknown } | { readonly error: ApiError };

/** Compiles a body's schema. Nothing in a body is changed by its judgement: no type, no default, no removed member. */
export function compileBodyValidator(schema: JsonSchema): BodyValidator {
  const accepts = FIRST_PROBLEM.compile(schema);
  const judge = ALL_PROBLEMS.compile(schema);
  return (body) => {
    if (accepts(body)) return { value: body };
    // The first problem ends the judgement of a valid body's size at once; all of them are looked for only where that is
    // bounded, since each one costs time.
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
    // Puts the schema, and the value too, into each error: they must not get any further than `fieldProblems`.
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

/** How many values the body holds; stops at `limit`. */
function countValues(value: unknown, limit: number): number {
  let count = 1;
  if (typeof value !== 'object' || value === null) return count;
  for (const member of Object.values(value)) {
    if (count >= limit) break;
    count += countValues(member, limit - count);
  }
  return count;
}
