import type { CollectionName, Document, ListEntry, ProjectionVersions } from './read-store';

/** One collection of one version. */
export interface InspectedCollection extends CollectionName {
  readonly version: number;
}

/** A document just as it is stored. */
export interface StoredDocument {
  readonly key: string;
  /** Null if there is none. */
  readonly document: Document | 'unreadable' | null;
  /** The list entries that the document is stored with. */
  readonly entries: readonly ListEntry[];
  /** Those of them that are missing from their lists. */
  readonly unlisted: readonly ListEntry[];
}

export interface StoredEntry extends ListEntry {
  readonly key: string;
}

/** What is stored in a version, and its checkpoint, both read at one moment. */
export interface Inspected<T> {
  /** Every event up to this position is reflected in what was found, and none after it; -1 if there was none yet. */
  readonly position: bigint;
  readonly found: readonly T[];
}

export interface InspectedPage<T> extends Inspected<T> {
  /** Where the next page begins; null after the last one. */
  readonly next: string | null;
}

/**
 * Reads a read store for comparisons with the log. It changes nothing, repairs nothing, and takes nothing from a cache.
 * Documents and entries are null if the version is not the live one.
 *
 * Every method throws ReadStoreUnavailableError.
 */
export abstract class ReadStoreInspection {
  /** Like `ReadStore.versions`, but a version that has lost something is not given up. */
  abstract versions(projection: string): Promise<ProjectionVersions>;

  /** @returns the documents in the order of `keys`. */
  abstract documents(of: InspectedCollection, keys: readonly string[]): Promise<Inspected<StoredDocument> | null>;

  /**
   * Pages through the keys of all documents, in any order. A key that is there throughout appears at least once.
   *
   * @param from null for the first page, then each page's `next`.
   */
  abstract keys(of: InspectedCollection, from: string | null): Promise<InspectedPage<string> | null>;

  /** Pages through all entries of all lists, likewise. */
  abstract entries(of: InspectedCollection, from: string | null): Promise<InspectedPage<StoredEntry> | null>;

  abstract close(): Promise<void>;
}
