import type { DomainEvent, RecordedEvent } from '../event';
import type { Collection, Projection } from '../projection';
import type { Document, DocumentWrite } from '../read-store';
import { readEvent } from '../upcast';
import { PoisonEventError } from './ports';

/** Gives the documents of one collection as they are before the events, in the order of the keys. */
export type ReadDocuments = (collection: string, keys: readonly string[]) => Promise<readonly (Document | null)[]>;

/** What the events make of the documents: one write for each document they concern. @throws PoisonEventError */
export async function documentWrites(
  projection: Projection,
  recorded: readonly RecordedEvent[],
  read: ReadDocuments,
): Promise<readonly DocumentWrite[]> {
  const events = recorded.map((raw) => ({
    raw,
    event: digest(projection, raw, () => readEvent(raw, projection.schemas)),
  }));
  const writes: DocumentWrite[] = [];
  for (const collection of projection.collections as readonly Collection<Document, DomainEvent>[]) {
    const keyed = events.map(({ raw, event }) => ({
      raw,
      event,
      key: digest(projection, raw, () => collection.key(event)),
    }));
    const wanted = [...new Set(keyed.flatMap(({ key }) => (key === null ? [] : [key])))];
    if (wanted.length === 0) continue;
    const stored = await read(collection.name, wanted);
    const before = new Map(wanted.map((key, index) => [key, stored[index] ?? null]));
    const documents = new Map<string, { readonly document: Document | null; readonly last: RecordedEvent }>();
    for (const { raw, event, key } of keyed) {
      if (key === null) continue;
      const known = documents.get(key);
      const current = known === undefined ? (before.get(key) ?? null) : known.document;
      const document = digest(projection, raw, () => collection.evolve(current, event));
      documents.set(key, { document, last: raw });
    }
    for (const [key, { document, last }] of documents) {
      // What an event left as it was need not be written again.
      if (document === before.get(key)) continue;
      writes.push(digest(projection, last, () => writeOf(collection, key, document)));
    }
  }
  return writes;
}

function writeOf(collection: Collection<Document, DomainEvent>, key: string, document: Document | null): DocumentWrite {
  const due = document === null ? null : (collection.due?.(document) ?? null);
  const places = document === null ? [] : (collection.places?.(document) ?? []);
  return { collection: collection.name, key, document, due, places };
}

function digest<T>(projection: Projection, event: RecordedEvent, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw new PoisonEventError(projection.name, event, error);
  }
}
