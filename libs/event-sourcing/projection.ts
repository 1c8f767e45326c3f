import type { DomainEvent, StoredEvent } from './event';
import type { EventFilter } from './event-store';
import type { Document, ListEntry } from './read-store';
import type { EventSchemas } from './upcast';
import type { Wait } from './wait';

/** When an item of a to-do list is due, and which owner's slots it takes. */
export interface Due extends Wait {
  /** `<owner>|<rest>`, or just `<owner>`: owners share the slots fairly, and groups share their owner's slots. */
  readonly group: string;
}

/** The owner of a group: the text before the first `|`, or all of it. */
export function groupOwner(group: string): string {
  const end = group.indexOf('|');
  return end === -1 ? group : group.slice(0, end);
}

/** One kind of document in a projection. Pure: the same events always give the same documents. */
export interface Collection<D extends Document, E extends DomainEvent> {
  readonly name: string;
  /** Key of the document that the event changes, or null if it changes none. */
  key(event: StoredEvent<E>): string | null;
  /** The document after the event; null removes it. */
  evolve(document: D | null, event: StoredEvent<E>): D | null;
  /** Key of the document that represents the whole stream, if there is one. */
  ofStream?(streamId: string): string | null;
  /** Of the document of a whole stream: the revision of the last event in it, so that a missing event is noticed. */
  revisionOf?(document: D): number;
  /** The document once its stream is damaged by others. Without this method the document stays as it is. */
  damaged?(document: D): D;
  /** Makes the collection a to-do list: when the item is due; null keeps it off the list. */
  due?(document: D): Due | null;
  /** The document's list entries; none without this method. */
  listEntries?(document: D): readonly ListEntry[];
  /** Keeps what each event made of the document, in a collection of its own that nothing else writes to. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each trail has documents of its own
  readonly trail?: Trail<D, E, any>;
}

/** The course of a collection's documents, such as the entries of an account with the balance after each. */
export interface Trail<D extends Document, E extends DomainEvent, T extends Document> {
  readonly name: string;
  /** What is kept of the event, and of the document after it. */
  step(document: D, event: StoredEvent<E>): { readonly key: string; readonly document: T };
  listEntries(document: T): readonly ListEntry[];
}

/**
 * A read model: documents folded from the events of some categories. All collections of a projection are written in one
 * atomic step, so none is ever ahead of another.
 */
export interface Projection<E extends DomainEvent = DomainEvent> {
  /** Permanent: it is the key of the checkpoint. */
  readonly name: string;
  /**
   * Raised with every change to what the projection stores, never lowered: a greater one rebuilds the read model, an
   * unchanged one rebuilds nothing. `apps/counterfoil/declared-versions.spec.ts` fails if it must be raised.
   */
  readonly declaredVersion: number;
  /** Stream prefixes, such as `payment-`. */
  readonly streamPrefixes: readonly string[];
  /** The event types it reads; all types of `schemas` when absent. */
  readonly types?: readonly E['type'][];
  readonly schemas: EventSchemas<E>;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- collections have different documents
  readonly collections: readonly Collection<any, E>[];
}

/** Selects the events that the projection reads. */
export function eventsOf({ streamPrefixes, types }: Pick<Projection, 'streamPrefixes' | 'types'>): EventFilter {
  return { streamPrefixes, ...(types === undefined ? {} : { types }) };
}

/** Folds one document from its events, as the projection itself would. */
export function foldDocument<D extends Document, E extends DomainEvent>(
  collection: Collection<D, E>,
  key: string,
  events: readonly StoredEvent<E>[],
): D | null {
  let document: D | null = null;
  for (const event of events) {
    if (collection.key(event) === key) document = collection.evolve(document, event);
  }
  return document;
}
