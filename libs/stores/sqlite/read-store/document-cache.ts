import type { CollectionName, Document } from '@app/event-sourcing';
import { parseDocument } from './parse';
import type { ListId } from './list-entries';

interface Entry {
  readonly version: number;
  readonly document: Document;
  /** The length of its JSON. */
  readonly characters: number;
}

/**
 * The size of a generation, in characters of JSON. Two generations are held; parsed, they take about four times that.
 */
const GENERATION_CHARACTERS = 8 * 1024 * 1024;

/**
 * Caches documents as last read from one file, so that frequently read ones are not looked up and parsed each
 * time. Never differs from the file: what this connection writes is dropped with the write, and everything
 * when another connection has written. Documents are shared by all readers, and frozen.
 *
 * Documents that were not read while a whole generation was filled are dropped.
 */
export class DocumentCache {
  /** By collection, then by key; one version of each document. */
  private young = new Map<number, Map<string, Entry>>();
  private old = new Map<number, Map<string, Entry>>();
  private youngCharacters = 0;
  /** By projection, then by collection. */
  private readonly lists = new Map<string, Map<string, ListId>>();
  private dataVersion: number | null = null;

  constructor(private readonly generationCharacters = GENERATION_CHARACTERS) {}

  /** Call it before each read with SQLite's `data_version`, which changes when another connection commits. */
  seeOthers(dataVersion: number): void {
    if (this.dataVersion !== dataVersion) this.clear();
    this.dataVersion = dataVersion;
  }

  /** All of these documents of the live version; null if one of them, or the version, is not cached. */
  all({ projection, collection }: CollectionName, keys: readonly string[]): readonly Document[] | null {
    const list = this.lists.get(projection)?.get(collection);
    if (list === undefined) return null;
    const young = this.young.get(list.collection);
    const documents: Document[] = [];
    for (const key of keys) {
      const entry = young?.get(key);
      const document = entry?.version === list.version ? entry.document : this.get(list, key);
      if (document === null) return null;
      documents.push(document);
    }
    return documents;
  }

  get({ collection, version }: ListId, key: string): Document | null {
    const young = this.young.get(collection)?.get(key);
    if (young !== undefined) return young.version === version ? young.document : null;
    const old = this.old.get(collection)?.get(key);
    if (old?.version !== version) return null;
    this.put(collection, key, old);
    return old.document;
  }

  /** Caches the live version of the collection. */
  keepList({ projection, collection }: CollectionName, list: ListId): void {
    const ofProjection = this.lists.get(projection) ?? new Map<string, ListId>();
    this.lists.set(projection, ofProjection.set(collection, list));
  }

  /** Call it when the live version of the projection may have changed. */
  forgetLists(projection: string): void {
    this.lists.delete(projection);
  }

  /** Parses and caches the document. @throws DamagedFileError */
  keep({ collection, version }: ListId, key: string, body: string): Document {
    const document = frozen(parseDocument(body));
    this.put(collection, key, { version, document, characters: body.length });
    return document;
  }

  forget({ collection, version }: ListId, key: string): void {
    for (const documents of [this.young.get(collection), this.old.get(collection)]) {
      if (documents?.get(key)?.version === version) documents.delete(key);
    }
  }

  private put(collection: number, key: string, entry: Entry): void {
    if (this.youngCharacters + entry.characters > this.generationCharacters) {
      this.old = this.young;
      this.young = new Map();
      this.youngCharacters = 0;
    }
    this.youngCharacters += entry.characters;
    const documents = this.young.get(collection);
    if (documents === undefined) this.young.set(collection, new Map([[key, entry]]));
    else documents.set(key, entry);
  }

  private clear(): void {
    this.lists.clear();
    this.young = new Map();
    this.old = new Map();
    this.youngCharacters = 0;
  }
}

/** Freezes the value recursively; documents are never deep. */
function frozen<T extends object>(value: T): T {
  for (const member of Object.values(value) as readonly unknown[]) {
    if (typeof member === 'object' && member !== null) frozen(member);
  }
  return Object.freeze(value);
}
