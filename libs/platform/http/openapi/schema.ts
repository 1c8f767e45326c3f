/** JSON as it appears in the document. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** An object with exactly these members; those named in `optional` may be absent. */
export function object(properties: JsonObject, optional: readonly string[] = []): JsonObject {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    properties,
    additionalProperties: false,
  };
}

export function ref(component: string): JsonObject {
  return { $ref: `#/components/schemas/${component}` };
}

export function listOf(items: JsonObject): JsonObject {
  return { type: 'array', items };
}

export function oneOf(...values: readonly string[]): JsonObject {
  return { type: 'string', enum: values };
}

export const TEXT: JsonObject = { type: 'string' };
export const INTEGER: JsonObject = { type: 'integer', minimum: 0 };
export const YES_OR_NO: JsonObject = { type: 'boolean' };
export const URI: JsonObject = { type: 'string', format: 'uri', maxLength: 2048 };

/** RFC 3339 UTC with milliseconds. */
export const TIME: JsonObject = {
  type: 'string',
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
};

export const CURRENCY: JsonObject = { type: 'string', pattern: '^[A-Z]{3}$' };
export const DECIMAL: JsonObject = { type: 'string', pattern: '^(0|[1-9][0-9]*)(\\.[0-9]+)?$' };

const CROCKFORD = '[0-9A-HJKMNP-TV-Z]';

/** One of our identifiers: the prefix and `length` characters of Crockford's base32. */
export function id(prefix: string, length = 26): JsonObject {
  return { type: 'string', pattern: `^${prefix}_${CROCKFORD}{${length}}$` };
}

export const MERCHANT_ID: JsonObject = { type: 'string', pattern: '^[A-Za-z0-9_]{1,64}$' };

export function orNull(schema: JsonObject): JsonObject {
  return typeof schema['type'] === 'string'
    ? { ...schema, type: [schema['type'], 'null'] }
    : { oneOf: [schema, { type: 'null' }] };
}

/** One page of a list. */
export function pageOf(items: JsonObject): JsonObject {
  return object({ items: listOf(items), nextCursor: orNull(TEXT) });
}
