import type { CollectionName, Document } from '@app/event-sourcing';
import { parseDocument } from './parse';
import type { ListId } from './list-entries';

interface Entry {
  readonly version: number;
  readonly document: Document;
  /** Of its JSON. */
  readonly characters: number;
}

/** Bodies of at most so many characters make a generation, and two are held; parsed they take some four times that. */
const GENERATION_CHARACTERS = 8 * 1024 * 1024;

/**
 * Documents as they were last read from one file, so that what is asked for again and again is not looked up and parsed each
 * time. It never tells anything that the file doesn't: what this connection writes is forgotten with the write, and everything
 * is when another connection has written. A document is shared by all who read it, and frozen.
 *
 * What nobody asked for while a whole generation was filled is dropped.
 */
export class DocumentCache {
  /** By collection, then by key: one version of it. */
  private young = new Map<number, Map<string, Entry>>();
  private old = new Map<number, Map<string, Entry>>();
  private youngCharacters = 0;
  /** By projection, then by collection. */
  private readonly lists = new Map<string, Map<string, ListId>>();
  private dataVersion: number | null = null;

  constructor(private readonly generationCharacters = GENERATION_CHARACTERS) {}

  /** To be told, before each reading, by which number SQLite counts what others have committed. */
  seeOthers(dataVersion: number): void {
    if (this.dataVersion !== dataVersion) this.clear();
    this.dataVersion = dataVersion;
  }

  /** All of these documents of the active version; null where one of them, or the version, has not been read before. */
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

  /** Which version of the collection is the active one. */
  keepList({ projection, collection }: CollectionName, list: ListId): void {
    const ofProjection = this.lists.get(projection) ?? new Map<string, ListId>();
    this.lists.set(projection, ofProjection.set(collection, list));
  }

  /** Another version of the projection may be the active one now. */
  forgetLists(projection: string): void {
    this.lists.delete(projection);
  }

  /** The document of this body, remembered. @throws DamagedFileError */
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

/** With all that it holds; a document is no deeper than what was projected into it. */
function frozen<T extends object>(value: T): T {
  for (const member of Object.values(value) as readonly unknown[]) {
    if (typeof member === 'object' && member !== null) frozen(member);
  }
  return Object.freeze(value);
}
