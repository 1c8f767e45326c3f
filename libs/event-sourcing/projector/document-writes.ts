import { type Damage, DamagedHistoryError, type DamageKind, StreamDeletedError } from '../damaged-history';
import { assert } from '../errors';
import type { DomainEvent, RecordedEvent, StoredEvent } from '../event';
import { NO_PREVIOUS_HASH } from '../event-proof';
import type { Collection, Projection } from '../projection';
import { toDoEntries } from '../reactor/to-do-entries';
import type { Document, DocumentWrite } from '../read-store';
import { readEvent } from '../upcast';
import { FailedEventError } from './ports';

/** Reads the documents of one collection as they are before the events, in the order of the keys. */
export type ReadDocuments = (collection: string, keys: readonly string[]) => Promise<readonly (Document | null)[]>;

/** The effect of a batch of events on the documents. */
export interface Digested {
  /** One for each document that changes. */
  readonly writes: readonly DocumentWrite[];
  /** Streams in which others wrote or deleted events. */
  readonly damages: readonly Damage[];
}

interface DigestedEvent {
  readonly raw: RecordedEvent;
  /** Null for an event of others or a deletion: its only effect is the damage. */
  readonly event: StoredEvent | null;
}

/** Damage done by others to one stream must not stop a projection. */
const SET_ASIDE: ReadonlySet<DamageKind> = new Set(['FOREIGN', 'FORGED', 'DELETED']);

/** @throws FailedEventError at an event of this service that cannot be applied. */
export async function digest(
  projection: Projection,
  recorded: readonly RecordedEvent[],
  read: ReadDocuments,
): Promise<Digested> {
  const damages: Damage[] = [];
  const events = recorded.map((raw): DigestedEvent => ({ raw, event: readOwn(projection, raw, damages) }));
  const writes: DocumentWrite[] = [];
  for (const collection of projection.collections as readonly Collection<Document, DomainEvent>[]) {
    const keyed = events.map(({ raw, event }) => ({ raw, event, key: keyOf(projection, collection, { raw, event }) }));
    const wanted = [...new Set(keyed.flatMap(({ key }) => (key === null ? [] : [key])))];
    if (wanted.length === 0) continue;
    const stored = await read(collection.name, wanted);
    const before = new Map(wanted.map((key, index) => [key, stored[index] ?? null]));
    const documents = new Map<string, { readonly document: Document | null; readonly last: RecordedEvent }>();
    for (const { raw, event, key } of keyed) {
      if (key === null) continue;
      const known = documents.get(key);
      const current = known === undefined ? (before.get(key) ?? null) : known.document;
      const isAfterGap = event !== null && missesEvents(collection, current, event);
      if (isAfterGap) damages.push(new DamagedHistoryError(raw, 'BROKEN', 'the event before it is missing'));
      const document = applied(projection, raw, () =>
        event === null || isAfterGap ? damagedDocument(collection, current) : collection.evolve(current, event),
      );
      // An event that changes nothing leaves the list entries alone, whether or not it came in one batch with others.
      const last = known !== undefined && document === current ? known.last : raw;
      documents.set(key, { document, last });
    }
    for (const [key, { document, last }] of documents) {
      // Unchanged documents are not written again.
      if (document === before.get(key)) continue;
      writes.push(applied(projection, last, () => writeOf(collection, key, document, last)));
    }
  }
  return { writes, damages };
}

function readOwn(projection: Projection, raw: RecordedEvent, damages: Damage[]): StoredEvent | null {
  try {
    const event = readEvent(raw, projection.schemas);
    if (event.metadata.previousHash !== NO_PREVIOUS_HASH || raw.revision === 0) return event;
    throw new StreamDeletedError(raw.streamId, `it starts again at revision ${raw.revision}`);
  } catch (error) {
    if (!(error instanceof DamagedHistoryError) || !SET_ASIDE.has(error.kind)) {
      throw new FailedEventError(projection.name, raw, error);
    }
    damages.push(error);
    return null;
  }
}

function keyOf(
  projection: Projection,
  collection: Collection<Document, DomainEvent>,
  { raw, event }: DigestedEvent,
): string | null {
  if (event === null) return collection.ofStream?.(raw.streamId) ?? null;
  return applied(projection, raw, () => {
    const key = collection.key(event);
    assert(key === null || typeof key === 'string', `${raw.type} does not name what it concerns`);
    return key;
  });
}

/**
 * Every event is proven at its place, so a revision that was left out is an event that was taken away. Without a
 * document nothing is known: another partition may have it.
 */
function missesEvents(
  collection: Collection<Document, DomainEvent>,
  document: Document | null,
  { streamId, revision }: StoredEvent,
): boolean {
  if (document === null || collection.revisionOf === undefined) return false;
  return (collection.ofStream?.(streamId) ?? null) !== null && revision > collection.revisionOf(document) + 1;
}

function damagedDocument(collection: Collection<Document, DomainEvent>, document: Document | null): Document | null {
  return document === null || collection.damaged === undefined ? document : collection.damaged(document);
}

function writeOf(
  collection: Collection<Document, DomainEvent>,
  key: string,
  document: Document | null,
  { position }: RecordedEvent,
): DocumentWrite {
  if (document === null) return { collection: collection.name, key, document, listEntries: [] };
  const due = collection.due?.(document) ?? null;
  const toDo = due === null ? [] : toDoEntries(due, position);
  return {
    collection: collection.name,
    key,
    document,
    listEntries: [...(collection.listEntries?.(document) ?? []), ...toDo],
  };
}

function applied<T>(projection: Projection, event: RecordedEvent, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw new FailedEventError(projection.name, event, error);
  }
}
