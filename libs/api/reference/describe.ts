import { GLOSSARY } from './glossary';
import type { Json, JsonObject } from '@app/platform/http/openapi/schema';

/**
 * Adds a description and an example from the glossary to every member of the schema. The longest matching path ending
 * is used: for `createPayment.payer.paymentMethod.card.number` that path, then `payer.paymentMethod.card.number`, …,
 * then `number`. A rule's own hint (`x-hint`) follows the description.
 *
 * @param name of the component or operation, the first part of the path.
 * @throws an Error that names each member without an entry.
 */
export function describeMembers(name: string, schema: JsonObject): JsonObject {
  const missing: string[] = [];
  const described = walk(schema, [name], missing);
  if (missing.length > 0) {
    throw new Error(
      `These fields have no description: ${missing.join(', ')}. Add each to libs/api/reference/glossary.ts ` +
        `(by its name, or by a longer ending of this path), with an example unless it is an object or a list of objects.`,
    );
  }
  return described;
}

/** The glossary's entry for the path, if there is one. */
export function glossaryEntry(path: readonly string[]): (typeof GLOSSARY)[string] | undefined {
  for (let start = 0; start < path.length; start += 1) {
    const entry = GLOSSARY[path.slice(start).join('.')];
    if (entry !== undefined) return entry;
  }
  return undefined;
}

function walk(schema: JsonObject, path: readonly string[], missing: string[]): JsonObject {
  const properties = schema['properties'] as Readonly<Record<string, JsonObject>> | undefined;
  const items = schema['items'] as JsonObject | undefined;
  return {
    ...schema,
    ...(items === undefined ? {} : { items: walk(items, path, missing) }),
    ...(properties === undefined ? {} : { properties: walkMembers(properties, path, missing) }),
  };
}

function walkMembers(
  properties: Readonly<Record<string, JsonObject>>,
  path: readonly string[],
  missing: string[],
): JsonObject {
  const members = Object.entries(properties).map(([member, schema]) => {
    const memberPath = [...path, member];
    const entry = glossaryEntry(memberPath);
    const needsExample = isLeaf(schema);
    if (entry === undefined || (needsExample && exampleOf(schema, entry.example) === undefined)) {
      missing.push(memberPath.join('.'));
      return [member, schema] as const;
    }
    const example = needsExample ? exampleOf(schema, entry.example) : undefined;
    const { 'x-hint': hint, ...walked } = walk(schema, memberPath, missing);
    const described = {
      ...walked,
      description: typeof hint === 'string' ? `${entry.description} ${hint}` : entry.description,
      ...(example === undefined ? {} : { examples: [example] }),
    };
    return [member, described] as const;
  });
  return Object.fromEntries(members);
}

/** A schema with an enumeration needs no other example. */
function exampleOf(schema: JsonObject, example: Json | undefined): Json | undefined {
  const allowed = (schema['enum'] ?? (schema['const'] === undefined ? undefined : [schema['const']])) as
    readonly Json[] | undefined;
  if (allowed !== undefined) return example !== undefined && allowed.includes(example) ? example : allowed[0];
  return schema['type'] === 'null' ? null : example;
}

function isLeaf(schema: JsonObject): boolean {
  if ('$ref' in schema || 'properties' in schema || 'oneOf' in schema) return false;
  const items = schema['items'] as JsonObject | undefined;
  return items === undefined || isLeaf(items);
}
