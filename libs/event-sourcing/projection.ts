import type { DomainEvent, StoredEvent } from './event';
import type { EventFilter } from './event-store';
import type { Document, ListEntry } from './read-store';
import type { EventSchemas } from './upcast';
import type { Wait } from './wait';

/** When an item of a to-do list falls due, and whose turn it takes. */
export interface Due extends Wait {
  /** `<owner>|<rest>`, or without `|` for its own owner: owners share what is worked at the same time, and groups share what is their owner's. */
  readonly group: string;
}

/** Whose group it is: what stands before the first `|`, or all of it. */
export function groupOwner(group: string): string {
  const end = group.indexOf('|');
  return end === -1 ? group : group.slice(0, end);
}

/** One kind of document that a projection keeps. Pure: the same events always give the same documents. */
export interface Collection<D extends Document, E extends DomainEvent> {
  readonly name: string;
  /** Key of the document that the event concerns, or null when it concerns none. */
  key(event: StoredEvent<E>): string | null;
  /** The document after the event; null removes it. */
  evolve(document: D | null, event: StoredEvent<E>): D | null;
  /** The key of the document that stands for the whole stream, where there is one. */
  ofStream?(streamId: string): string | null;
  /** The document once its stream holds what this service did not write; as it was when absent. */
  damaged?(document: D): D;
  /** Makes it a to-do list: when the item is due; null keeps it off the list. */
  due?(document: D): Due | null;
  /** Where the document stands in sorted lists; nowhere when absent. */
  listEntries?(document: D): readonly ListEntry[];
}

/**
 * A read model: documents folded from the events of some categories. Everything in one projection is written in one
 * atomic step, so what stands in one collection is never ahead of another.
 */
export interface Projection<E extends DomainEvent = DomainEvent> {
  /** A permanent name: it is the key of the checkpoint. */
  readonly name: string;
  /**
   * What it stores of a log, as a number that only grows. Raised with every change of that: what an earlier one has stored is built
   * anew. A release that raises nothing rebuilds nothing; `apps/counterfoil/declared-versions.spec.ts` tells
   * when it has to be raised.
   */
  readonly declaredVersion: number;
  /** Stream prefixes, such as `payment-`. */
  readonly streamPrefixes: readonly string[];
  /** Only these types of events concern it; all of the schemas' when absent. */
  readonly types?: readonly E['type'][];
  readonly schemas: EventSchemas<E>;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- collections of one projection differ in their documents
  readonly collections: readonly Collection<any, E>[];
}

/** Which events of the log concern the projection. */
export function eventsOf({ streamPrefixes, types }: Pick<Projection, 'streamPrefixes' | 'types'>): EventFilter {
  return { streamPrefixes, ...(types === undefined ? {} : { types }) };
}

/** Folds one document from the events that concern it, as the projection itself would. */
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
