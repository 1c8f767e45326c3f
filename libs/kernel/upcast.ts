import type { DomainEvent, EventMetadata, RecordedEvent, StoredEvent } from './event';

/** Lifts the data of one schema version to the next one. */
export type Upcaster = (data: object) => object;

/** The current schema version of an event type, and for each older version the step that leaves it. */
export interface EventSchema {
  readonly version: number;
  readonly upcasters?: Readonly<Record<number, Upcaster>>;
}

/** Every event type that a category of streams may hold. */
export type EventSchemas<E extends DomainEvent = DomainEvent> = Readonly<Record<E['type'], EventSchema>>;

/** The log holds something that this version of the service doesn't know how to read. */
export class UnreadableEventError extends Error {
  constructor(event: Pick<RecordedEvent, 'streamId' | 'revision' | 'type'>, why: string) {
    super(`Event ${event.type} at ${event.streamId}@${event.revision} can't be read: ${why}`);
    this.name = 'UnreadableEventError';
  }
}

/**
 * Parses a recorded event and lifts its data to the current schema version. The only place where old shapes are known.
 *
 * @throws UnreadableEventError for an unknown type, a version newer than this code, or data that isn't JSON.
 */
export function readEvent<E extends DomainEvent>(recorded: RecordedEvent, schemas: EventSchemas<E>): StoredEvent<E> {
  if (!Object.hasOwn(schemas, recorded.type)) throw new UnreadableEventError(recorded, 'its type is unknown');
  const schema: EventSchema = schemas[recorded.type as E['type']];
  // Several projections read the same event: a store that hands out the same object has it parsed once.
  const known = alreadyRead.get(recorded);
  if (known?.schema === schema) return known.event as StoredEvent<E>;
  const event = parseEvent(recorded, schema);
  alreadyRead.set(recorded, { schema, event });
  return event as unknown as StoredEvent<E>;
}

const alreadyRead = new WeakMap<RecordedEvent, { readonly schema: EventSchema; readonly event: object }>();

function parseEvent(recorded: RecordedEvent, schema: EventSchema): object {
  const metadata = parseObject(recorded, recorded.metadata) as EventMetadata;
  let data = parseObject(recorded, recorded.data);
  const { id, streamId, revision, position, type } = recorded;
  if (!Number.isSafeInteger(metadata.schemaVersion)) {
    throw new UnreadableEventError(recorded, 'it was not written by this service: it has no schema version');
  }
  if (metadata.schemaVersion > schema.version) {
    throw new UnreadableEventError(
      recorded,
      `schema version ${metadata.schemaVersion} is newer than ${schema.version}`,
    );
  }
  for (let version = metadata.schemaVersion; version < schema.version; version += 1) {
    const upcaster = schema.upcasters?.[version];
    if (upcaster === undefined) throw new UnreadableEventError(recorded, `nothing lifts schema version ${version}`);
    data = upcaster(data);
  }
  return { type, data, id, streamId, revision, position, metadata };
}

function parseObject(recorded: RecordedEvent, json: string): object {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new UnreadableEventError(recorded, 'it is not JSON');
  }
  if (typeof value !== 'object' || value === null) throw new UnreadableEventError(recorded, 'it is not a JSON object');
  return value;
}
