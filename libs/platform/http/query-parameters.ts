import type { FieldProblem } from '@app/platform/outcome';
import { IsInt, Max, Min } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { type JsonSchema, Opaque, Optional, TIME_FORMAT } from './validation/rules';
import { ApiError } from './errors/api-error';
import { DEFAULT_PAGE_SIZE } from './rate-limit/request-cost';
import { type BodyValidator, compileBodyValidator } from './validation/body-validator';

/*
 * Query parameters are declared like bodies: a class with class-validator's decorators and ./validation/rules, named by its
 * route (`@ForMerchant({ scope, query: ListThingsQuery })`), handed to the controller by `@Query()`. Its JSON Schema is
 * what requests are judged by and what the API's documentation shows.
 */

const MAX_PAGE_SIZE = 100;
/** No cursor of ours is longer: an order key of a few hundred bytes in base64url. */
const MAX_CURSOR_LENGTH = 1_024;

/** The parameters of every list. */
export class PageQuery {
  /** Items on one page; `DEFAULT_PAGE_SIZE` when absent. */
  @Optional()
  @IsInt()
  @Min(1)
  @Max(MAX_PAGE_SIZE)
  @JSONSchema({ default: DEFAULT_PAGE_SIZE })
  limit?: number;

  /** `nextCursor` of the page before; the first page when absent. */
  @Optional()
  @Opaque({ max: MAX_CURSOR_LENGTH })
  cursor?: string;
}

/** How many items the page may hold. */
export function pageSizeOf({ limit = DEFAULT_PAGE_SIZE }: PageQuery): number {
  return limit;
}

/**
 * Compiles the schema of a route's query parameters. Each may come once; an unknown one is refused; what is declared as a
 * whole number is read as one, a time's plus as one, and nothing else is changed. Every problem has the parameter's name for its field.
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

/** A plus that was not percent-encoded arrives as a blank, which stands nowhere in a time: `+02:00` is taken as it was typed. */
function readTime(text: string | readonly string[]): unknown {
  return typeof text === 'string' ? text.replace(/ (?=\d{2}:\d{2}$)/, '+') : text;
}

/** The number that a decimal text without sign or leading zeros stands for; anything else is left to be refused. */
function readNumber(text: string | readonly string[]): unknown {
  return typeof text === 'string' && /^(?:0|[1-9][0-9]{0,14})$/.test(text) ? Number(text) : text;
}
