import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import type { EventMetadata, RecordedEvent } from '@app/event-sourcing';

const FOLDER = resolve(__dirname, '../../docs/events');
const EVENT_SCHEMA = /^([A-Z][A-Za-z]+\.v[1-9][0-9]*)\.schema\.json$/;
const METADATA_SCHEMA = 'metadata.schema.json';

const ajv = new Ajv2020({ strict: true, allErrors: true });

const compile = (file: string): ValidateFunction =>
  ajv.compile(JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as object);

const validateMetadata = compile(METADATA_SCHEMA);

/** Every published event schema, by `<EventType>.v<version>`. */
export const eventSchemas: ReadonlyMap<string, ValidateFunction> = new Map(
  readdirSync(FOLDER).flatMap((file) => {
    const name = EVENT_SCHEMA.exec(file)?.[1];
    return name === undefined ? [] : [[name, compile(file)] as const];
  }),
);

/** All other files in the schemas' folder. */
export const otherFiles: readonly string[] = readdirSync(FOLDER).filter(
  (file) => !EVENT_SCHEMA.test(file) && file !== METADATA_SCHEMA,
);

/** Where a stored event differs from its published schema; empty if it matches. */
export function problemsOf(event: Pick<RecordedEvent, 'type' | 'data' | 'metadata'>): readonly string[] {
  const metadata = JSON.parse(event.metadata) as EventMetadata;
  return [
    ...problemsOfData(event.type, metadata.schemaVersion, event.data),
    ...problemsUnder(validateMetadata, metadata, 'metadata'),
  ];
}

/** Problems of an event's data, in its shape or its bytes. */
export function problemsOfData(type: string, version: number, data: string): readonly string[] {
  const name = `${type}.v${version}`;
  const validate = eventSchemas.get(name);
  if (validate === undefined) return [`${name} has no schema`];
  const parsed: unknown = JSON.parse(data);
  const unstable = JSON.stringify(parsed) === data ? [] : [`${name}: parsing and writing changes the bytes`];
  return [...unstable, ...problemsUnder(validate, parsed, name)];
}

function problemsUnder(validate: ValidateFunction, value: unknown, name: string): readonly string[] {
  if (validate(value)) return [];
  // Paths and rules only: a failing test must not print the data it found.
  return (validate.errors ?? []).map(({ instancePath, keyword, message }) => {
    return `${name}${instancePath}: ${message ?? keyword}`;
  });
}
