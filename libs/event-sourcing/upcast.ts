import { StreamDeletedError, UnreadableEventError } from './damaged-history';
import type { DomainEvent, EventMetadata, RecordedEvent, StoredEvent } from './event';
import { DELETION } from './event-store';

/** Turns the data of one schema version into that of the next. */
export type Upcaster = (data: object) => object;

/** The current schema version of an event type, and for each older version the upcaster to the next one. */
export interface EventSchema {
  readonly version: number;
  readonly upcasters?: Readonly<Record<number, Upcaster>>;
}

/** All event types of one category of streams. */
export type EventSchemas<E extends DomainEvent = DomainEvent> = Readonly<Record<E['type'], EventSchema>>;

/**
 * Parses a recorded event and upcasts its data to the current schema version. An event counts as this service's own if
 * its metadata has the form in which the service writes it.
 *
 * @throws UnreadableEventError for a foreign event, and for one that only a newer release can read.
 * @throws StreamDeletedError for a `DELETION` event.
 */
export function readEvent<E extends DomainEvent>(recorded: RecordedEvent, schemas: EventSchemas<E>): StoredEvent<E> {
  const schema: EventSchema | null = Object.hasOwn(schemas, recorded.type) ? schemas[recorded.type as E['type']] : null;
  // Several projections read the same event. If the store returns the same object, it is parsed only once.
  const known = alreadyRead.get(recorded);
  if (schema !== null && known?.schema === schema) return known.event as StoredEvent<E>;
  if (recorded.type === DELETION) throw new StreamDeletedError(recorded.streamId, EVENTS_DELETED);
  const metadata = readMetadata(recorded);
  const data = parsed(recorded.data);
  if (data === null) throw new UnreadableEventError(recorded, 'FOREIGN', 'its data are not a JSON object');
  if (schema === null) throw new UnreadableEventError(recorded, 'NEWER', 'its type is unknown to this release');
  const { id, streamId, revision, position, type } = recorded;
  const event = { type, data: lifted(recorded, metadata, data, schema), id, streamId, revision, position, metadata };
  alreadyRead.set(recorded, { schema, event });
  return event as unknown as StoredEvent<E>;
}

/** The event's metadata if they have the form in which this service writes them, otherwise null. */
export function ownMetadata(recorded: RecordedEvent): EventMetadata | null {
  const known = parsedMetadata.get(recorded);
  if (known !== undefined) return known;
  const metadata = parsed(recorded.metadata) as EventMetadata | null;
  const own = metadata !== null && isOfOurForm(metadata) ? metadata : null;
  parsedMetadata.set(recorded, own);
  return own;
}

/** The metadata alone. @throws UnreadableEventError for a foreign or forged event. */
export function readMetadata(recorded: RecordedEvent): EventMetadata {
  const metadata = ownMetadata(recorded);
  if (metadata === null) {
    throw new UnreadableEventError(recorded, 'FOREIGN', 'its metadata are not as this service writes them');
  }
  if (recorded.forgery !== undefined) throw new UnreadableEventError(recorded, 'FORGED', recorded.forgery);
  return metadata;
}

/** The time of recording, in ms since the epoch; null if unknown. For metrics only. */
export function recordedAtMs({ metadata }: Pick<RecordedEvent, 'metadata'>): number | null {
  try {
    const { recordedAt } = JSON.parse(metadata) as Partial<EventMetadata>;
    const atMs = Date.parse(recordedAt ?? '');
    return Number.isNaN(atMs) ? null : atMs;
  } catch {
    return null;
  }
}

const parsedMetadata = new WeakMap<RecordedEvent, EventMetadata | null>();
const alreadyRead = new WeakMap<RecordedEvent, { readonly schema: EventSchema; readonly event: object }>();

const EVENTS_DELETED = 'events of it were deleted or hidden';
const RECORDED_AT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

function isOfOurForm(metadata: EventMetadata): boolean {
  const { schemaVersion, recordedAt, correlationId, causationId, actor, previousHash } = metadata;
  return (
    Number.isSafeInteger(schemaVersion) &&
    typeof recordedAt === 'string' &&
    RECORDED_AT.test(recordedAt) &&
    [correlationId, actor, previousHash, metadata.macKeyId, metadata.mac, metadata.hash].every(
      (text) => typeof text === 'string',
    ) &&
    (causationId === null || typeof causationId === 'string')
  );
}

function lifted(recorded: RecordedEvent, metadata: EventMetadata, stored: object, schema: EventSchema): object {
  let data = stored;
  if (metadata.schemaVersion > schema.version) {
    const why = `its schema version ${metadata.schemaVersion} is newer than ${schema.version}`;
    throw new UnreadableEventError(recorded, 'NEWER', why);
  }
  for (let version = metadata.schemaVersion; version < schema.version; version += 1) {
    const upcaster = schema.upcasters?.[version];
    if (upcaster === undefined) {
      throw new UnreadableEventError(recorded, 'FOREIGN', `there is no upcaster for its schema version ${version}`);
    }
    data = upcaster(data);
  }
  return data;
}

/** Null for a text that is no JSON object. */
function parsed(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
