import { defaultMetadataStorage } from 'class-transformer/cjs/storage';
import { ARRAY_MAX_SIZE, ARRAY_MIN_SIZE, MATCHES, MAX, MAX_LENGTH, MIN } from 'class-validator';
import type { ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata';
import { validationMetadatasToSchemas } from 'class-validator-jsonschema';
import { type JsonSchema, type Refusal, RULE } from './rules';

const REFERENCE_PREFIX = '#/definitions/';

type Converter = (meta: ValidationMetadata) => Record<string, unknown>;

/** The package's own converters ignore our refusals, and treat every bound as fractional. */
const CONVERTERS: Readonly<Record<string, Converter>> = {
  [RULE]: ({ constraints }) => constraints[0] as Record<string, unknown>,
  [MIN]: ({ constraints }) => ({ minimum: constraints[0] as number }),
  [MAX]: ({ constraints }) => ({ maximum: constraints[0] as number }),
  [MATCHES]: (meta) => ({ type: 'string', pattern: (meta.constraints[0] as RegExp).source, ...refusalOf(meta) }),
  [MAX_LENGTH]: (meta) => ({ type: 'string', maxLength: meta.constraints[0] as number, ...refusalOf(meta) }),
  [ARRAY_MIN_SIZE]: (meta) => ({ type: 'array', minItems: meta.constraints[0] as number, ...refusalOf(meta) }),
  [ARRAY_MAX_SIZE]: (meta) => ({ type: 'array', maxItems: meta.constraints[0] as number, ...refusalOf(meta) }),
};

function refusalOf({ message, context }: ValidationMetadata): JsonSchema {
  const { problem, error } = (context ?? {}) as Refusal;
  return {
    ...(typeof message === 'string' ? { 'x-hint': message } : {}),
    ...(problem === undefined ? {} : { 'x-problem': problem }),
    ...(error === undefined ? {} : { 'x-error': error }),
  };
}

const made = new Map<new () => object, JsonSchema>();

/**
 * The JSON Schema of a decorated class, with all references inlined and undeclared members forbidden. Call it at start:
 * the first call for a class reads the metadata of all classes.
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
    additionalConverters: CONVERTERS,
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
