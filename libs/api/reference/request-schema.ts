import { type JsonSchema, TIME_FORMAT } from '@app/platform/http/validation/rules';
import type { Json, JsonObject } from '@app/platform/http/openapi/schema';

/** Our own formats in the vocabulary of OpenAPI 3.1. */
const FORMATS: Readonly<Record<string, JsonObject>> = {
  'absolute-url': { format: 'uri' },
  'web-url': { format: 'uri', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' },
  [TIME_FORMAT]: { format: 'date-time' },
  ip: { anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] },
};

/**
 * The schema that requests are validated with, in standard form: without our own keywords and formats, except `x-hint`,
 * which is moved to the description.
 */
export function publicSchema(schema: JsonSchema): JsonObject {
  return publicNode(schema as JsonObject) as JsonObject;
}

function publicNode(node: Json): Json {
  if (Array.isArray(node)) return node.map((element) => publicNode(element as Json));
  if (typeof node !== 'object' || node === null) return node;
  const members = Object.entries(node as JsonObject).flatMap(([name, member]): [string, Json][] => {
    // Under `properties` a name is a field, not a keyword.
    if (name === 'properties') return [[name, mapped(member as JsonObject)]];
    if (name === 'x-problem' || name === 'x-error') return [];
    // Keys and values without a name have no description.
    if (name === 'propertyNames' || name === 'additionalProperties') return [[name, withoutHint(publicNode(member))]];
    if (name === 'format')
      return Object.entries((typeof member === 'string' ? FORMATS[member] : undefined) ?? { format: member });
    return [[name, publicNode(member)]];
  });
  return Object.fromEntries(members);
}

function withoutHint(node: Json): Json {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return node;
  const { 'x-hint': _hint, ...rest } = node as JsonObject;
  return rest;
}

function mapped(properties: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, publicNode(schema)]));
}
