import type { FieldProblem } from '@app/platform/outcome';
import { IsInt, Max, Min } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { type JsonSchema, Opaque, Optional, TIME_FORMAT } from './validation/rules';
import { ApiError } from './errors/api-error';
import { DEFAULT_PAGE_SIZE } from './rate-limit/request-cost';
import { type BodyValidator, compileBodyValidator } from './validation/body-validator';

/*
 * Query parameters are declared like bodies: a class with class-validator's decorators and ./validation/rules, named by
 * its route (`@ForMerchant({ scope, query: ListThingsQuery })`) and passed to the controller by `@Query()`. Its JSON
 * Schema validates requests and appears in the API documentation.
 */

const MAX_PAGE_SIZE = 100;
/** Longer than any of our cursors: an order key of a few hundred bytes in base64url. */
const MAX_CURSOR_LENGTH = 1_024;

/** The parameters of every list. */
export class PageQuery {
  /** Items per page; `DEFAULT_PAGE_SIZE` if absent. */
  @Optional()
  @IsInt()
  @Min(1)
  @Max(MAX_PAGE_SIZE)
  @JSONSchema({ default: DEFAULT_PAGE_SIZE })
  limit?: number;

  /** `nextCursor` of the previous page; absent for the first page. */
  @Optional()
  @Opaque({ max: MAX_CURSOR_LENGTH })
  cursor?: string;
}

export function pageSizeOf({ limit = DEFAULT_PAGE_SIZE }: PageQuery): number {
  return limit;
}

/**
 * Compiles the schema of a route's query parameters. Repeated and unknown parameters are refused. Values declared as
 * integers are converted, a time's unescaped plus is restored, and nothing else is changed. Every problem names the
 * parameter as its field.
 */
export function compileQueryValidator(schema: JsonSchema): BodyValidator {
  const judge = compileBodyValidator(schema);
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>);
  const declared = properties.map(([name]) => name);
  const readers = new Map(properties.map(([name, declaration]) => [name, readerOf(declaration)]));
  return (query) => {
    const given = query as Readonly<Record<string, string | readonly string[]>>;
    const repeated = declared.filter((name) => Array.isArray(given[name]));
    if (repeated.length > 0) {
      return { error: new ApiError('VALIDATION_FAILED', { details: repeated.map(repeatedProblem) }) };
    }
    const entries = Object.entries(given).map(([name, text]) => [name, readers.get(name)?.(text) ?? text]);
    return judge(Object.fromEntries(entries));
  };
}

function repeatedProblem(field: string): FieldProblem {
  return { field, code: 'INVALID_FORMAT', message: 'Give this parameter only once.' };
}

type Reader = (text: string | readonly string[]) => unknown;

function readerOf({ type, format }: JsonSchema): Reader | null {
  if (type === 'integer') return readNumber;
  return format === TIME_FORMAT ? readTime : null;
}

/**
 * A plus that is not percent-encoded arrives as a space. A time contains no spaces, so ` 02:00` is read as `+02:00`.
 */
function readTime(text: string | readonly string[]): unknown {
  return typeof text === 'string' ? text.replace(/ (?=\d{2}:\d{2}$)/, '+') : text;
}

/** Converts a decimal number without sign or leading zeros; anything else is left for the schema to refuse. */
function readNumber(text: string | readonly string[]): unknown {
  return typeof text === 'string' && /^(?:0|[1-9][0-9]{0,14})$/.test(text) ? Number(text) : text;
}
