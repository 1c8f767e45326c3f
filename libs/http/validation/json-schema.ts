import { defaultMetadataStorage } from 'class-transformer/cjs/storage';
import { validationMetadatasToSchemas } from 'class-validator-jsonschema';
import { type JsonSchema, RULE } from '../dto/rules';

const REFERENCE_PREFIX = '#/definitions/';

const made = new Map<new () => object, JsonSchema>();

/**
 * The JSON Schema of a decorated class: everything it refers to stands in it, and no object takes members that were not
 * declared. For the start of the process: the first call for a class reads the metadata of all classes.
 */
export function jsonSchemaOf(type: new () => object): JsonSchema {
  const schema = made.get(type) ?? makeSchema(type);
  made.set(type, schema);
  return schema;
}

function makeSchema(type: new () => object): JsonSchema {
  const schemas = validationMetadatasToSchemas({
    classTransformerMetadataStorage: defaultMetadataStorage,
    refPointerPrefix: REFERENCE_PREFIX,
    additionalConverters: { [RULE]: (meta) => meta.constraints[0] as Record<string, never> },
  }) as Readonly<Record<string, JsonSchema>>;
  return closed({ $ref: REFERENCE_PREFIX + type.name }, schemas) as JsonSchema;
}

function closed(node: unknown, schemas: Readonly<Record<string, JsonSchema>>): unknown {
  if (Array.isArray(node)) return node.map((element) => closed(element, schemas));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref, ...rest } = node as JsonSchema & { readonly $ref?: string };
  if ($ref !== undefined) {
    const target = schemas[$ref.slice(REFERENCE_PREFIX.length)];
    if (target === undefined) throw new Error(`No class is decorated under the name ${$ref}`);
    return closed({ ...rest, ...target }, schemas);
  }
  const members = Object.entries(rest).map(([name, member]) => [name, closed(member, schemas)] as const);
  const isClass = rest['type'] === 'object' && 'properties' in rest;
  return { ...Object.fromEntries(members), ...(isClass ? { additionalProperties: false } : {}) };
}
